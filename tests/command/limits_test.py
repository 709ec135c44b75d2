"""Limits of time and memory, and Ctrl-C, wherever they meet a command: while a
text is read, while a model is compiled, at the start, in a factorization,
between steps, while files are written."""

import json
import os
import signal
import subprocess
import time

from support import DAE, contains, dae, equal, is_watched, main, write

# a loop that makes nothing of very many turns
LONG = '''var x = 1
x' = -x
for i in 1..19000, j in 1..20000 where i + j < 0
  x = i
end
solve t in 0..1
'''

# a row of tanks; n unknowns, 3*n entries
ROW = '''param n = {n}
var x[i in 1..n] = sin(i)
x[i]' = (if i > 1 then x[i - 1] else 0) - 2*x[i]
  + (if i < n then x[i + 1] else 0) for i in 1..n
solve t in 0..1e9, rtol = 1e-9
'''

# everything with everything: n^3/3 operations in one factorization
FULL = '''param n = {n}
var x[i in 1..n] = sin(i)
x[i]' = sum(x[j]*x[i]/(i + j) for j in 1..n) for i in 1..n
solve t in 0..1
'''

ENDLESS = '''var x = 1, v = 0
x' = v
v' = -x
solve t in 0..1e9, rtol = 1e-9, atol = 1e-12
'''


# n pairs whose mass matrix is singular: each of them is repaired
PAIRS = '''param n = {n}
var u1[n] = 0, u2[n] = 0
node1: u1[i]' - u2[i]' = 1 - u1[i] for i in 1..n
node2: u2[i]' - u1[i]' = -u2[i] for i in 1..n
'''

# one block, index 1: certificates and start factorize it
STEADY = '''param n = {n}
var T[n,n] ~ 0
fun at(i, j) = if i > 0 and i <= n and j > 0 and j <= n then T[i,j] else 0
heat: 4*T[i,j] - at(i-1, j) - at(i+1, j) - at(i, j-1) - at(i, j+1) = 1 for i in 1..n, j in 1..n
'''


CHECKED = is_watched()
LATE = 20 if CHECKED else 3       # seconds a busy machine may add


def run(*words):
    """status, seconds, largest memory in MiB, standard error, output"""
    begun = time.monotonic()
    with open('out', 'wb') as out, open('err', 'wb') as err:
        process = subprocess.Popen([DAE, *words], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0  # waited for
    seconds = time.monotonic() - begun
    with open('err', encoding='utf-8') as file:
        err = file.read()
    with open('out', encoding='utf-8') as file:
        out = file.read()
    return (os.waitstatus_to_exitcode(status), seconds,
            usage.ru_maxrss / 1024, err, out)


def test_time_limit():
    write('long.dae', LONG)
    begun = time.monotonic()
    err = dae('run', 'long.dae', '--time-limit', '0.3', status=6).err
    equal(time.monotonic() - begun < 5, True, 'ended in time')
    contains(err, 'E0004')
    contains(err, 'the time limit of 0.3 s was reached')
    equal('E0005' in err, False)
    d = dae('init', 'long.dae', '--time-limit', '0.3', '--json', status=6).json
    equal(d['status'], 'limit')
    equal([m['code'] for m in d['diagnostics']], ['E0004'])


def test_time_limit_at_every_stage():
    """Whatever the moment falls into, the command ends soon and says why."""
    write('row.dae', ROW.format(n=300000))
    write('full.dae', FULL.format(n=900))
    write('text.dae', "var x = 1\nx' = 1" + ' + x*1'*300000
          + '\nsolve t in 0..1e9\n')
    write('comment.dae', '# comment\n'*3000000 + ENDLESS)
    cases = [(name, limit) for name in ['row', 'full', 'text', 'comment']
             for limit in ([0.1, 0.9] if CHECKED else [0.01, 0.1, 0.3, 0.9])]
    for name, limit in cases:
        status, seconds, _, err, _ = run(
            'run', name + '.dae', '--quiet', '--time-limit', str(limit),
            '--linear', 'klu' if name == 'full' else 'auto')
        what = f'{name} with {limit} s: {err[:300]}'
        equal(status, 6, what)
        equal(err.count('error['), 1, what)
        contains(err, f'error[E0004]: the time limit of {limit} s was reached')
        equal(seconds < limit + 0.5 + LATE, True, f'{what} took {seconds} s')


def test_time_limit_of_check():
    """While ranks are looked at, structures repaired, starts searched for."""
    write('pairs.dae', PAIRS.format(n=200000))
    write('steady.dae', STEADY.format(n=700))
    cases = [(name, limit) for name in ['pairs', 'steady']
             for limit in ([0.9] if CHECKED else [0.1, 0.4])]
    for name, limit in cases:
        status, seconds, _, err, out = run(
            'check', name + '.dae', '--quiet', '--time-limit', str(limit))
        what = f'{name} with {limit} s: {err[:300]}'
        equal(status, 6, what)
        equal(err.count('error['), 1, what)
        contains(err, f'error[E0004]: the time limit of {limit} s was reached')
        equal(seconds < limit + 0.5 + LATE, True, f'{what} took {seconds} s')


def test_memory_limit_of_check():
    write('pairs.dae', PAIRS.format(n=100000))
    write('steady.dae', STEADY.format(n=400))
    for name in ['pairs', 'steady']:
        for limit in [40, 120]:
            status, _, most, err, _ = run(
                'check', name + '.dae', '--quiet', '--memory-limit', str(limit))
            what = f'{name} with {limit} MiB: {err[:300]}'
            equal(status, 6, what)
            contains(err, 'E0004')
            if not CHECKED:
                equal(most < limit + 64, True, f'{what} took {most} MiB')


def test_time_limit_keeps_rows():
    """Every row that is complete at the limit stands in the file."""
    write('endless.dae', ENDLESS)
    status, _, _, err, _ = run('run', 'endless.dae', '--time-limit', '0.5',
                               '--all-steps', '-o', 'rows.csv')
    equal(status, 6, err)
    with open('rows.partial.csv', encoding='utf-8') as file:
        lines = file.read().split('\n')
    equal(lines[-1], '', 'the last row is whole')
    equal({len(line.split(',')) for line in lines[:-1]}, {3})
    equal(len(lines) > 100, True)


def test_time_limit_of_many_models():
    """`dae test`: a model that takes too long does not end the others."""
    os.mkdir('models')
    write('models/a.dae', ENDLESS + 'expect x > 0 final\n')
    write('models/b.dae', "var x = 1\nx' = 0\nsolve t in 0..1\n"
          'expect x == 1 final\n')
    status, _, _, err, out = run('test', 'models', '--time-limit', '0.5')
    equal(status, 1, err)
    contains(out, 'FAIL             models/a.dae')
    contains(out, 'pass             models/b.dae')


def test_memory_limit():
    """The whole process stays below the limit and a constant. Sanitizers keep
    what is freed and shadow the rest: there only the message is looked at."""
    write('row.dae', ROW.format(n=200000))
    write('full.dae', FULL.format(n=1000))
    met = set()
    for name, linear in [('row', 'klu'), ('row', 'umfpack'), ('full', 'auto')]:
        for limit in [20, 80] if CHECKED else [20, 40, 80, 120]:
            status, _, most, err, _ = run(
                'run', name + '.dae', '--quiet', '--linear', linear,
                '--memory-limit', str(limit), '--max-steps', '2')
            what = f'{name} with {limit} MiB: {err[:300]}'
            if 'this build has no UMFPACK' in err:
                continue  # and says so
            equal(status, 6, what)
            met.add('more than' if 'the model needs more than' in err
                    else 'reached' if 'the memory limit' in err else 'E0504')
            contains(err, 'E0504' if 'E0504' in err else 'E0004')
            if not CHECKED:
                equal(most < limit + 64, True, f'{what} took {most} MiB')
    equal(met >= {'more than', 'reached'}, True, met)


def test_memory_limit_has_a_place():
    """The statement whose lowering needed more is shown."""
    write('row.dae', ROW.format(n=400000))
    d = dae('run', 'row.dae', '--memory-limit', '10', '--json', status=6).json
    equal([(m['code'], m['line']) for m in d['diagnostics']], [('E0004', 3)])


def test_memory_suffices():
    """A limit that is not met changes nothing."""
    write('row.dae', ROW.format(n=1000))
    plain = dae('run', 'row.dae', '--json', '--no-times', '--to', '1').out
    limited = dae('run', 'row.dae', '--json', '--no-times', '--to', '1',
                  '--memory-limit', '64', '--time-limit', '50').out
    equal(plain == limited, True)


# a product of two matrices, which has n^3 terms
PRODUCT = '''param n = {n}
param A[i in 1..n, j in 1..n] = i + j
let C = A*A
var x = 1
x' = -x*C[1,1]
solve t in 0..1
'''


def test_products_count_as_turns():
    """Of one that is too large not even the first term is worked out."""
    write('product.dae', PRODUCT.format(n=800))
    d = dae('check', 'product.dae', '--json', status=6).json
    equal([(m['code'], m['line'], m['message']) for m in d['diagnostics']],
          [('E0004', 3, 'the loops and products of this model have more than 400000000 '
            'turns')])


def interrupt(*words):
    process = subprocess.Popen([DAE, *words], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    return process.returncode, out.decode(), err.decode()


def test_interrupt():
    write('long.dae', LONG)
    status, out, err = interrupt('run', 'long.dae')
    equal(status, 130, err)
    contains(err, 'E0005')
    status, out, err = interrupt('run', 'long.dae', '--json')
    equal(status, 130, err)
    d = json.loads(out)
    equal(d['status'], 'interrupted')
    equal([m['code'] for m in d['diagnostics']], ['E0005'])


def test_interrupt_of_products():
    """And of the elements of params, a million of which are numbers."""
    write('product.dae', PRODUCT.format(n=730))
    write('elements.dae', PRODUCT.format(n=4000))
    for name in ['product.dae', 'elements.dae']:
        begun = time.monotonic()
        status, _, err = interrupt('check', name)
        equal(status, 130, err)
        equal(time.monotonic() - begun < 1 + LATE, True, name)


def test_interrupt_of_check():
    write('pairs.dae', PAIRS.format(n=600000))
    status, _, err = interrupt('check', 'pairs.dae')
    equal(status, 130, err)
    equal((err.count('E0005'), err.count('error[')), (1, 1), err)


def test_interrupt_of_large_models():
    """While memory is requested, too: one message, the right one."""
    write('row.dae', ROW.format(n=3000000))
    status, _, err = interrupt('run', 'row.dae')
    equal(status, 130, err)
    equal((err.count('E0005'), err.count('error[')), (1, 1), err)


main(globals())
