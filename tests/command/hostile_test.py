"""Texts of unknown origin under --untrusted: none takes more time, memory or output than
it may, reads another file, crashes, or steers a terminal. A dozen; `slow`: 300."""

import glob
import os
import random
import subprocess
import sys
import time

from support import DAE, DECAY, ENDLESS, ROOT, contains, dae, equal, is_watched, main, write

SLOW = len(sys.argv) > 3
WATCHED = is_watched()
MIB = 1 << 20
# what comes on top of the memory that is counted (docs/cli.md, Limits)
BESIDE = 64


def deep(chance):
    n = chance.choice([100, 10**3, 10**5, 10**6])
    left, right = chance.choice(['()', ('sin(', ')'), ('(1 + ', ')'), ('-(', ')'),
                                 ('if x > 0 then ', ' else x')])
    return f"var x = 1\nx' = {left*n}x{right*n}\nsolve t in 0..1\n"


def wide(chance):
    n = chance.choice([10**4, 10**5, 3*10**5])
    piece = chance.choice([' + x*1', ' - x*x', '*1.0000001', ' + sin(x*{k})', ' + x^{k}'])
    return ("var x = 1\nx' = x" + ''.join(piece.format(k=k) for k in range(n))
            + '\nsolve t in 0..1e9\n')


def many(chance):
    n = chance.choice([10**3, 10**4, 10**5])
    line = chance.choice([
        'var x{k} = 1\nx{k}\' = -x{k}\n', 'param p{k} = {k}\n', 'let l{k} = x\n',
        'expect x > {k} always\n', 'plot x + {k}\n', 'output o{k} = x*{k}\n',
        'when x > {k}\n  print "passed {k}"\nend\n', 'fun f{k}(a) = a + {k}\n',
        '# {k}\n', 'init x ~ {k}\n', 'x = {k}\n', 'discrete d{k} = {k}\n'])
    return ("var x = 1\nx' = 1\n" + ''.join(line.format(k=k) for k in range(n))
            + 'solve t in 0..1e9\n')


def large(chance):
    n = chance.choice([300, 1500, 3000, 10**4, 10**6, 10**9, 2**31, 2**53])
    return chance.choice([
        "var x[i in 1..{n}] = sin(i)\nx[i]' = sum(x[j]/(i + j) for j in 1..{n}) for i in 1..{n}\n",
        "var x[{n}] = 1\nx' = -x\n", "param A[{n},{n}] = 1\nvar x = 1\nx' = -x*A[1,1]\n",
        "param A[i in 1..{n}, j in 1..{n}] = i/j\nlet B = A*A\nvar x = 1\nx' = -B[1,1]\n",
        "var x[i in 1..{n}] ~ 1\nx[i]^3 + sum(x[j] for j in 1..{n}) = i for i in 1..{n}\n",
        "var x = 1\nx' = sum(sin(i*x) for i in 1..{n})\n",
        "var x = 1\nx' = -x\nlet B = outer(ones({n}), ones({n}))\n",
        "var x = 1\nx' = prod(x for i in 1..{n}) - sum(x/i for i in 1..{n})\n",
        "var x[i in 1..{n}] = 1\nx[i]' = 1 for i in 1..{n}\nfor i in 1..{n}\n  when x[i] > 1 + i/{n}\n"
        "    x[i] := 0\n    print \"again\"\n  end\nend\n",
        "var x = 1\nx' = -x\nfor i in 1..{n}, j in 1..{n} where i + j < 0\n  x = i\nend\n",
    ]).replace('{n}', str(n)) + 'solve t in 0..1e3\n'


def endless(chance):
    text = chance.choice(['on', 'x'*1000, 'x'*60000])
    return chance.choice([
        ENDLESS, ENDLESS + f'when x > 0\n  print "{text}"\nend\n',
        f"var x = 1\nx' = if x > 0 then -1 else 1\nwhen x < 0\n  print \"{text}\"\nend\n"
        'solve t in 0..1e9\n',
        f"var x = 0\nx' = 1\nwhen x > 1e-6\n  x := 0\n  print \"{text}\"\nend\nsolve t in 0..1e9\n",
        "var x = 1\nx' = sin(1e9*t)\nsolve t in 0..1e9\n",
        "var x = 1\nx' = x^2\nsolve t in 0..1\n", "var x = 1\nx' = exp(exp(exp(exp(x))))\nsolve t in 0..9\n",
        "var x = 1\nx' = -1e300*x^9\nsolve t in 0..1e300\n",
        "var x = 1, y ~ 1\nx' = y\ny^5 + y = floor(1e6*t) + x\nsolve t in 0..1e6\n",
        "var x = 1\nder(x, 64) = -x\nsolve t in 0..1e9\n"])


def files(chance):
    name = chance.choice(['/etc/passwd', '/dev/zero', '/dev/stdin', 'pipe.csv', '../t.csv',
                          'hostile.dae', '/proc/self/mem', 'u.csv', '', '/', 'a'*5000])
    return DECAY + chance.choice([f'input u = table("{name}", x = "t", y = "u")\n',
                          f'param A = table("{name}")\n'])


def steering(chance):
    codes = ['\x1b[31m', '\x1b]0;title\x07', '\x9b2J', '\x7f', '\x08'*9, '\r', '\x1bc', '\x0e', '\0']
    text = list(DECAY + 'when x < 0.5\n  print "half"\n  stop "far"\nend\n# end\nplot x\n')
    for _ in range(chance.randint(1, 6)):
        text.insert(chance.randrange(len(text)), chance.choice(codes))
    return ''.join(text)


def mutated(chance):
    path = chance.choice(MODELS)
    with open(path, 'rb') as file:
        text = bytearray(file.read())
    words = [b'1e308', b'0', b'-1', b'1e9', b"'''''", b'{', b'(', b'"', b'[1..10^6]', b'^9', b'*t',
             b'if', b'when', b'end\n', b'\n', b'\xff', b'solve t in 0..1e9\n', b'for i in 1..10^5']
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(text))
        if chance.random() < 0.3:
            del text[at:at + chance.randint(1, 40)]
        else:
            text[at:at + chance.randint(0, 3)] = chance.choice(words)
    return bytes(text)


def soup(chance):
    tokens = ("var x y z param let when if then else end for in fun expect solve t plot x' x'' = == ~ "
              ":= + - * / ^ ( ) [ ] { } , .. 1 2.5 1e9 0 sin sum max \" # : table discrete print "
              "stop init output input not and or").split() + ['\n']*12
    return ' '.join(chance.choices(tokens, k=chance.choice([50, 500, 5*10**4, 10**6])))


MODELS = sorted(glob.glob(os.path.join(ROOT, 'models/*/*.dae')))
FAMILIES = [deep, wide, many, large, endless, files, steering, mutated, soup, large, endless, mutated]
WAYS = [['run'], ['run', '-o', 'a.csv', '--all-steps'], ['run', '-o', '-', '--all-steps'],
        ['run', '-o', 'a.json'], ['run', '--json', '--events'], ['check'], ['init'],
        ['show', '--bytecode', '--equations'], ['show', '--tokens', '--ast'], ['show', '--structure'],
        ['orders', '--json'], ['stability'], ['run', '--method', 'radau'], ['run', '--error', 'global']]


def one(words, limit):
    """status, seconds of the processor, of the clock, MiB, bytes that came out"""
    begun = time.monotonic()
    with open('out', 'wb') as out, open('err', 'wb') as err:
        process = subprocess.Popen([DAE, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            late = 60 + 4*limit
            while True:
                done, status, usage = os.wait4(process.pid, os.WNOHANG)
                if done or time.monotonic() - begun > late:
                    break
                time.sleep(0.02)
            if not done:
                process.kill()
                _, status, usage = os.wait4(process.pid, 0)
        finally:
            process.returncode = 0
    size = sum(os.path.getsize(name) for name in os.listdir('.')
               if name == 'out' or name.startswith('a.'))
    return (os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime,
            time.monotonic() - begun, usage.ru_maxrss/1024, size)


def steers(name):
    """Whether there are control characters for a terminal."""
    with open(name, 'rb') as file:
        text = file.read(4*MIB).decode('utf-8', 'replace')
    return any((ord(c) < 32 and c not in '\n\t') or 127 <= ord(c) < 160 for c in text)


def test_hostile_texts():
    os.mkfifo('pipe.csv')
    write('u.csv', 't,u\n0,1\n9,2\n')
    chance = random.Random(23)
    most = dict(cpu=0, mib=0, bytes=0)
    met = {}
    for k in range(300 if SLOW else 12):
        family = FAMILIES[k % len(FAMILIES)]
        text, way = family(chance), chance.choice(WAYS)
        limit = 10 if SLOW and k % 30 == 4 else 1
        write('hostile.dae', text)
        words = [way[0], 'hostile.dae', *way[1:], '--untrusted']
        if way[0] != 'show':
            words += ['--time-limit', str(limit)]
        else:
            limit = 10
        status, cpu, wall, mib, size = one(words, limit)
        with open('err', encoding='utf-8', errors='replace') as file:
            err = file.read(2000)
        what = (f'text {k} of `{family.__name__}` by {" ".join(way)}: status {status}, {cpu:.2f} s, '
                f'{wall:.2f} s, {mib:.0f} MiB, {size} bytes\n{err}\n{text[:300]!r}')
        equal(status in (0, 1, 2, 3, 4, 5, 6), True, what)
        equal(steers('out') or steers('err'), False, what)
        equal(size <= 64*MIB + MIB, True, what)
        if not WATCHED:
            equal(cpu < limit + 0.8, True, what)
            equal(mib < 256 + BESIDE, True, what)
        met[status] = met.get(status, 0) + 1
        most = dict(cpu=max(most['cpu'], cpu - limit), mib=max(most['mib'], mib),
                    bytes=max(most['bytes'], size))
        for name in os.listdir('.'):
            if name.startswith('a.'):
                os.remove(name)
    if SLOW:
        print(f'300 hostile texts end by {dict(sorted(met.items()))}, at most {most["cpu"]:.2f} s after '
              f'their limit, with {most["mib"]:.0f} MiB and {most["bytes"]/MIB:.0f} MiB of output')


def test_limits_of_untrusted():
    """Those that are given count where they are lower."""
    write('endless.dae', ENDLESS)
    begun = time.monotonic()
    contains(dae('run', 'endless.dae', '--untrusted', '--time-limit', '0.3', status=6).err,
             'the time limit of 0.3 s was reached')
    equal(time.monotonic() - begun < 8, True)
    # refused for its size, of which most is never touched
    write('large.dae', "param A[20000, 20000] = 1\nvar x = 1\nx' = -x\nsolve t in 0..1\n")
    for words, mib in [([], 256), (['--memory-limit', '1000'], 256), (['--memory-limit', '20'], 20)]:
        err = dae('run', 'large.dae', '--untrusted', *words, status=6).err
        contains(err, f'{mib} MiB')
    equal(dae('test', 'endless.dae', '--untrusted').status, 2)


def test_output_of_untrusted():
    write('m.dae', "var x = 0\nx' = 1\nwhen x > 1e-6\n  x := 0\n  print \"" + 'x'*60000
          + '"\nend\nsolve t in 0..1\n')
    r = dae('run', 'm.dae', '--untrusted', status=6)
    contains(r.err, 'error[E0004]: the limit of 64 MiB of output was reached')
    equal(60*MIB < len(r.out) <= 64*MIB, True)
    write('m.dae', DECAY + 'let ' + 'a'*30000 + '[3000] = 1\n')
    write('a.csv', 'old\n')
    r = dae('run', 'm.dae', '--untrusted', '-o', 'a.csv', status=6)
    contains(r.err, 'error[E0004]: the limit of 64 MiB of output was reached')
    with open('a.csv', encoding='utf-8') as file:
        equal(file.read(), 'old\n')
    equal(os.path.exists('a.partial.csv'), False, 'a part of the head')


def test_files_of_untrusted():
    write('u.csv', 't,u\n0,1\n9,2\n')
    write('m.dae', DECAY + 'input u = table("u.csv", x = "t", y = "u")\n')
    dae('check', 'm.dae', status=0)
    for command in ['run', 'check', 'init', 'show', 'orders', 'stability']:
        err = dae(command, 'm.dae', '--untrusted', status=5).err
        contains(err, 'error[E0001]: `u.csv` is not read: the model is not trusted')


main(globals())
