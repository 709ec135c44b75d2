"""Small texts that ask for very much. Each must end, without a limit being
given, in the diagnostic that is written beside it: found by a check, not by
running out of time, memory or stack. The watchdog is generous; what it stops
has failed."""

import json
import subprocess

from support import DAE, equal, main, write

WATCHDOG = '60'  # seconds; nothing here needs two

DECAY = "var x = 1\nx' = -x\nsolve t in 0..1\n"


def run(name, text, words=(), command='init'):
    path = write('bomb.dae', text)
    process = subprocess.run(
        [DAE, command, path, '--json', '--time-limit', WATCHDOG, *words],
        timeout=4 * int(WATCHDOG), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    if process.returncode < 0 or b'Sanitizer' in process.stderr:
        raise AssertionError(f'{name}: ends by signal {-process.returncode}\n'
                             + process.stderr.decode()[:2000])
    errors = [d for d in json.loads(process.stdout).get('diagnostics', [])
              if d['severity'] == 'error']
    return process, errors


STATUS = {'E0004': 6, 'E0106': 6}


def check(cases, command='init'):
    """Cases are (name, text, options, code, line)."""
    wrong = []
    for name, text, words, code, line in cases:
        process, errors = run(name, text, words, command)
        found = (errors[0]['code'], errors[0]['line']) if errors else None
        status = process.returncode
        is_option = bool(errors) and errors[0]['file'] == '--set'
        expected = 2 if is_option else STATUS.get(code, 3 if code else 0)
        if not code:
            fine = status == 0 and not errors
        else:
            fine = found == (code, line) and status == expected
        if not fine:
            message = errors[0]['message'] if errors else ''
            wrong.append(f'{name}: expected {code} in line {line}, exit '
                         f'{expected}; found {found}, exit {status}: '
                         + message[:200])
    equal(wrong, [])


def sized(value):
    return f"param n = {value}\nvar x[n] = 1\nx' = -x\nvar y = 1\ny' = -y\n"


NOWHERE = "param n\nvar x[n] = 1\nx' = -x\nvar y = 1\ny' = -y\n"

SIZES = [
    ('0', None, None), ('-1', 'E0204', 2), ('2^31', 'E0004', 2),
    ('2^31 - 1', 'E0004', 2), ('2^32 + 1', 'E0004', 2),
    ('2^53', 'E0004', 2), ('2^63', 'E0206', 2), ('2^63 - 1', 'E0206', 2),
    ('2^64 + 1', 'E0206', 2), ('-2^63', 'E0206', 2), ('-2^31', 'E0204', 2),
    ('1e308', 'E0206', 2), ('0.5', 'E0206', 2), ('inf', 'E0206', 2),
    ('-inf', 'E0206', 2), ('0/0', 'E0213', 1), ('inf - inf', 'E0213', 1),
    ('1e400', 'E0105', 1), ('sqrt(-1)', 'E0213', 1),
]


def test_sizes():
    check([(f'n = {v}', sized(v), (), c, l) for v, c, l in SIZES])


def test_sizes_by_set():
    """The same from the command line: what the text of --set is wrong by
    itself for is told of it, in its line 1."""
    check([(f'--set n={v}', NOWHERE, ('--set', f'n={v}'), c, l)
           for v, c, l in SIZES])


def test_sizes_by_expression():
    check([(f'x[{v}]', f"var x[{v}] = 1\nx' = -x\nvar y = 1\ny' = -y\n", (), c,
            1) for v, c, _ in SIZES])


def test_bounds():
    """First and last index on either side of every word."""
    check([
        ('0..2^31', "var x[0..2^31] = 1\nx' = -x\n", (), 'E0004', 1),
        ('-2^52..2^52', "var x[-2^52..2^52] = 1\nx' = -x\n", (), 'E0004', 1),
        ('-2^62..2^62', "var x[-2^62..2^62] = 1\nx' = -x\n", (), 'E0206', 1),
        ('2^52..2^52', "var x[2^52..2^52] = 1\nx' = -x\n", (), None, None),
        ('5..-5', "var x[5..-5] = 1\nx' = -x\n", (), 'E0204', 1),
        ('nan..1', "param a = inf\nvar x[(a - a)..1] = 1\nx' = -x\n", (),
         'E0213', 2),
    ])


def test_products():
    """Sizes whose product does not fit, or wraps around to something small."""
    dims = ['65536, 65536', '65536, 65536, 65536, 65536',
            '2^31, 2^31', '2^32, 2^32', '2^33, 2^31', '2^21, 2^21, 2^22',
            '3, 2^32, 2^32', '641, 6700417, 2^32']
    cases = [(d, f"var x[{d}] = 1\nx' = -x\n", (), 'E0004', 1) for d in dims]
    cases += [(f'let {d}', f"var x = 1\nx' = -x\nlet a[{d}] = 1\n", (),
               'E0004', 3) for d in dims]
    cases += [(f'param {d}', f"var x = 1\nx' = -x\nparam a[{d}] = 1\n", (),
               'E0004', 3) for d in dims]
    cases += [(f'zeros {d}', f"var x = 1\nx' = -x + sum(zeros({d}))\n", (),
               'E0004', 2) for d in dims]
    cases += [
        ('0 among them', "var x[2^32, 2^32, 0] = 1\nvar y = 1\ny' = -y\n"
         "x' = -x\n", (), 'E0004', 1),
        ('identity', "var x = 1\nx' = -x*sum(identity(10^6))\n", (), 'E0004',
         2),
        ('ones', "var x = 1\nx' = -x*sum(ones(10^5, 10^5))\n", (), 'E0004', 2),
        ('outer', "var x[10^5] = 1\nx' = -x*sum(outer(x, x))\n", (), 'E0004',
         2),
        ('product', "var x[10^5] = 1\nlet A = outer(x, x)\nx' = -A*x\n", (),
         'E0004', 2),
        ('all unknowns', ''.join(f'var x{k}[10^9] = 1\n' for k in range(9)),
         (), 'E0004', 1),
        ('together', ''.join(f'var x{k}[10^8] = 1\n' for k in range(9))
         + "x0' = 1\n", (), 'E0004', 6),
    ]
    check(cases)


def test_slices_and_indices():
    head = "param n = 2^31\nvar x[4] = 1\nvar y = 1\nx' = -x\n"
    items = [('x[2^31]', 'E0205'), ('x[n]', 'E0205'), ('x[2^63]', 'E0206'),
             ('x[2^32 + 1]', 'E0205'), ('x[1e308]', 'E0206'),
             ('x[0.5]', 'E0206'), ('x[-1]', 'E0205'),
             ('sum(x[1..n])', 'E0205'), ('sum(x[1..2^53])', 'E0205'),
             ('sum(x[1..2^62])', 'E0206'), ('sum(x[-n..4])', 'E0205'),
             ('sum(x[n..n + 1])', 'E0205'), ('x[0/0]', 'E0213'),
             ('x[inf]', 'E0206')]
    check([(i, head + f"y' = {i}\n", (), c, 5) for i, c in items])


def test_long_sums():
    head = "var x = 1\n"
    ranges = [('i in 1..2^62', 'E0206'), ('i in 1..2^53', 'E0004'),
              ('i in 2^53..1 : -1', 'E0004'), ('i in 1..10^12', 'E0004'),
              ('i in 1..1e10', 'E0004'), ('i in 1..inf', 'E0206'),
              ('i in -2^53..2^53', 'E0004'),
              ('i in 1..10^3, j in 1..10^3, k in 1..10^3, m in 1..10^3',
               'E0004'),
              ('i in 1..10^5, j in 1..10^5 where i + j < 0', 'E0004')]
    texts = ["x' = -x*sum({} for {})", "x' = prod(1 + 0*{} for {})",
             "x' = max({} for {})", "x' = sum([{} for {}])"]
    check([(t.format('i', r), head + t.format('i', r) + '\n', (), c, 2)
           for t in texts for r, c in ranges if ' : ' not in r])
    nest = 'x'
    for name in 'abcdef':
        nest = f'sum({nest} for {name} in 1..1000)'
    check([('sums in sums', f"var x = 1\nx' = -{nest}\n", (), 'E0004', 2)])


def test_loops():
    names = 'abcdef'
    blocks = ''.join(f'for {c} in 1..1000\n' for c in names)
    ends = 'end\n' * 6
    suffix = ', '.join(f'{c} in 1..1000' for c in names)
    check([
        ('blocks', f"var x = 1\n{blocks}x' = -x\n{ends}", (), 'E0004', 2),
        ('suffix', f"var x = 1\nx' = -x for {suffix}\n", (), 'E0004', 2),
        ('where', f"var x = 1\nx' = -x\nx = 1 for {suffix} where a < 0\n", (),
         'E0004', 3),
        ('init', f"var x = 1\nx' = -x\ninit x = 1 for {suffix}\n", (),
         'E0004', 3),
        ('one', "var x = 1\nx' = -x\nx = 1 for i in 1..2^53\n", (), 'E0004', 3),
        ('backwards', "var x = 1\nx' = -x\nx = 1 for i in 2^53..1 step -1\n",
         (), 'E0004', 3),
        ('far', "var x = 1\nx' = -x\nx = 1 for i in 2^53..2^60\n", (), 'E0206',
         3),
    ])


def chain(count, first, line):
    return first + ''.join(line.format(k=k, p=k - 1)
                           for k in range(1, count + 1))


def test_doubling():
    """2^40 by putting names into each other."""
    lets = chain(40, 'let a0 = x\n', 'let a{k} = a{p}*a{p} + a{p}\n')
    scaled = chain(40, 'let a0 = x\n', 'let a{k} = (a{p} + a{p})/2\n')
    params = chain(40, 'param a0 = 1\n', 'param a{k} = (a{p} + a{p})/2\n')
    funs = chain(40, 'fun f0(x) = x\n', 'fun f{k}(x) = f{p}(x)*f{p}(x)\n')
    sums = chain(40, 'fun f0(x) = x\n', 'fun f{k}(x) = f{p}(f{p}(x))\n')
    two = chain(40, 'fun f0(x, y) = x\n',
                'fun f{k}(x, y) = f{p}(x, y) + f{p}(y, x)\n')
    both = chain(20, 'fun f0(x) = x\n', 'fun f{k}(x) = f{p}(x)*f{p}(x)\n')
    check([
        ('lets, never wanted', lets + DECAY, (), None, None),
        ('lets', scaled + "var x = 1\nx' = -a40\n", (), None, None),
        ('params', params + "var x = 1\nx' = -a40*x\n", (), None, None),
        ('funs', funs + "var x = 1\nx' = -f40(x)\n", (), 'E0004', 43),
        ('funs of numbers', funs + "var x = 1\nx' = -x*f40(1)\n", (), 'E0004',
         43),
        ('funs of funs', sums + "var x = 1\nx' = -f40(x)\n", (), 'E0004', 43),
        ('two arguments', two + "var x = 1\nx' = -f40(x, 1)\n", (), 'E0004',
         43),
        ('in a size', two + "param n = f40(1, 2)\nvar x[n] = 1\nx' = -x\n", (),
         'E0004', 42),
        ('in a loop', both + "var x[100] = 1\n"
         "x[i]' = -f20(x[i]) for i in 1..100\n", (), 'E0004', 23),
    ])


def test_loops_in_functions():
    """What a loop repeats is the loop's; a loop at the bottom of a bomb is
    not."""
    leaf = chain(40, 'fun f0(x) = sum(x for i in 1..1)\n',
                 'fun f{k}(x) = f{p}(x)*f{p}(x)\n')
    pairs = ('param n = 1001\nfun sq(a) = a*a\n'
             'fun e() = sum(sq(x[i] - x[j]) for i in 1..n, j in 1..n)\n'
             "var x[i in 1..n] = i\nx[i]' = -x[i] for i in 1..n\n"
             'output y = e()\n')
    check([
        ('all pairs', pairs, (), None, None),
        ('a sum in the last', leaf + "var x = 1\nx' = -f40(x)\n", (),
         'E0004', 43),
    ])


def test_long_lists():
    n = 10**5
    check([
        ('arguments', 'fun f(' + ', '.join(f'a{k}' for k in range(n))
         + ') = a1\n' + DECAY, (), None, None),
        ('attributes', 'var x = 1 {' + ', '.join(
            f'a{k} = 1' for k in range(n)) + "}\nx' = -x\n", (), 'E0214', 1),
        ('options', "var x = 1\nx' = -x\nsolve t in 0..1, " + ', '.join(
            f'b{k} = 1' for k in range(n)) + '\n', (), 'E0214', 3),
        ('the same', "var x = 1\nx' = -x\nsolve t in 0..1"
         + ', rtol = 1e-6'*n + '\n', (), 'E0202', 3),
    ])


def test_derivatives():
    primes = "'"*64
    check([
        ('10^6 primes', "var x = 1\nx' = -x\nx" + "'"*10**6 + ' = 1\n', (),
         'E0216', 3),
        ('10^6 letters', "var x = 1\nx' = -x\nlet a = (x*x)"
         + chr(0x2032)*10**6 + '\n', (), 'E0216', 3),
        ('der', "var x = 1\nx' = -x\nlet a = der(x, 10^9)\n", (), 'E0216', 3),
        ('der inf', "var x = 1\nx' = -x\nlet a = der(x, 1e300)\n", (), 'E0206',
         3),
        ('der of der', "var x = 1\nx' = -x\n"
         + "let a = " + 'der('*40 + 'x' + ', 60)'*40 + '\n', (), 'E0216', 3),
        ('product', "var x = 1\nx' = -x\nlet a = (sin(x)*exp(x))"
         + primes + '\n', (), 'E0216', 3),
        ('quotient', "var x = 1\nx' = -x\nlet a = (1/(1 + sin(1/x)))"
         + primes + '\n', (), 'E0216', 3),
    ])


def test_powers():
    check([
        ('x^(10^9)', "var x = 1\nx' = 1 - x^(10^9)\n", (), None, None),
        ('x^(2^63)', "var x = 1\nx' = 1 - x^(2^63)\n", (), None, None),
        ('x^-(2^31)', "var x = 1\nx' = 1 - x^(-(2^31))\n", (), None, None),
        ('tower', "var x = 1\nx' = 1 - x" + '^2'*900 + '\n', (), 'E0213',
         2),
        ('tower of names', "var x = 1\nx' = 1" + '^x'*900 + '\n', (), None,
         None),
        ('high tower', "var x = 1\nx' = x" + '^x'*10**6 + '\n', (), 'E0106',
         2),
        ('numbers', "var x = 1\nx' = -x*9^9^9^9^9\n", (), 'E0213', 2),
    ])


def test_nesting():
    n = 10**6
    check([
        ('brackets', f"var x = 1\nx' = {'('*n}x{')'*n}\n", (), 'E0106', 2),
        ('open brackets', f"var x = 1\nx' = {'('*n}", (), 'E0106', 2),
        ('signs', f"var x = 1\nx' = {'-'*n}x\n", (), 'E0106', 2),
        ('not', f"var x = 1\nx' = if {'not '*n}true then 1 else 2\n", (),
         'E0106', 2),
        ('vectors', f"var x = 1\nx' = sum({'['*n}x{']'*n})\n", (), 'E0106', 2),
        ('indices', f"var x = 1\nx' = {'x['*n}1{']'*n}\n", (), 'E0106', 2),
        ('calls', f"var x = 1\nx' = {'sin('*n}x{')'*n}\n", (), 'E0106', 2),
        ('ifs', f"var x = 1\nx' = {'if x > 0 then 1 else '*n}2\n", (), 'E0106',
         2),
        ('blocks', 'var x = 1\n' + 'for i in 1..1\n'*n, (), 'E0106', 1002),
        ('blocks of one line', 'var x = 1\n' + 'for i in 1..1; '*n, (),
         'E0106', 2),
        ('comprehensions', "var x = 1\nx' = " + 'sum('*n + 'x'
         + ' for i in 1..1)'*n + '\n', (), 'E0106', 2),
        ('lets', chain(10**5, 'let a0 = x\n', 'let a{k} = a{p} + 1\n')
         + "var x = 1\nx' = a100000\n", (), None, None),
        ('funs', chain(10**4, 'fun f0(x) = x\n', 'fun f{k}(x) = f{p}(x)\n')
         + "var x = 1\nx' = f10000(x)\n", (), 'E0106', 9802),
    ])


main(globals())
