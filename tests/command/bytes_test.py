"""The same input gives the same bytes, whatever number of threads the BLAS is
given: its sums would have other last digits with every number."""

import os
import subprocess

from support import DAE, ROOT, dae, equal, main, write

# neighbours on a ring, all coupled to all: a full iteration matrix
FULL = '''param n = 60
var x[i in 1..n] = sin(i)
flow: x[i]' = -i/n*x[i] + sum(sin((i - k)/7)*x[k] for k in 1..n)/n for i in 1..n
solve t in 0..2, rtol = 1e-6
'''
HEAT = ['heat.dae', '--set', 'n=20', '--rtol', '1e-4', '--linear']


def bytes_of(words, threads):
    environment = {k: v for k, v in os.environ.items()
                   if not k.endswith('_NUM_THREADS')}
    if threads:
        environment['OPENBLAS_NUM_THREADS'] = threads
    if os.path.exists('out.csv'):
        os.remove('out.csv')
    result = subprocess.run(
        [DAE, 'run', *words, '-o', 'out.csv', '--json', '--no-times'],
        env=environment, timeout=120, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    equal(result.returncode, 0, result.stderr.decode())
    with open('out.csv', 'rb') as file:
        return result.stdout, file.read()


def check(*words):
    """Twice with every setting."""
    first = bytes_of(words, '1')
    equal(len(first[1]) > 1000, True, 'a table')
    for threads in ['1', '2', '2', None, None]:
        equal(bytes_of(words, threads) == first, True,
              f'{" ".join(words)} with {threads or "any number of"} threads')


def write_heat():
    """Without what it expects at its own tolerance."""
    with open(os.path.join(ROOT, 'models/pde/heat2d.dae'),
              encoding='utf-8') as file:
        write('heat.dae', ''.join(line for line in file
                                  if not line.startswith('expect')))


def test_full_systems():
    write('full.dae', FULL)
    for n in ['60', '200']:
        check('full.dae', '--set', 'n=' + n)


def test_dense():
    write_heat()
    check(*HEAT, 'dense')


def test_klu():
    write_heat()
    check(*HEAT, 'klu')


def test_umfpack():
    write_heat()
    result = dae('run', *HEAT, 'umfpack')
    if 'E0505' in result.err:
        return  # built without
    check(*HEAT, 'umfpack')


main(globals())
