"""The same input gives the same bytes: from run to run, whatever lies where in
memory and was there before, whatever the locale, the folder, and the number of
threads the BLAS is given, whose sums would have other last digits with every
number. tools/dev/bytes.sh does the same with all models and two compilers."""

import ctypes
import os
import subprocess

from support import DAE, ROOT, SHARE, dae, equal, main, write

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
    """Twice with every setting, or once where time is short."""
    first = bytes_of(words, '1')
    equal(len(first[1]) > 1000, True, 'a table')
    again = ['1', '2', '2', None, None]
    for threads in again if SHARE == 1 else again[1::2]:
        equal(bytes_of(words, threads) == first, True,
              f'{" ".join(words)} with {threads or "any number of"} threads')


def write_heat():
    """Without what it expects at its own tolerance."""
    with open(os.path.join(ROOT, 'models/pde/heat2d.dae'),
              encoding='utf-8') as file:
        write('heat.dae', ''.join(line for line in file
                                  if not line.startswith('expect')))


# one of each kind: dense, sparse, of high order, started with an effort
MODELS = ['chemistry/chemical_akzo_nobel', 'chemistry/robertson',
          'circuits/transistor_amplifier', 'mechanics/net4_tensions',
          'mechanics/rigid_body', 'medicine/medical_akzo_nobel',
          'molecules/lennard_jones', 'process/batch_reactor_bound']
ADDR_NO_RANDOMIZE = 0x0040000


def fix_addresses():
    """Whether the system places everything where it placed it before."""
    libc = ctypes.CDLL(None)
    before = libc.personality(0xffffffff)
    return libc.personality(before | ADDR_NO_RANDOMIZE) != -1


def all_bytes(path, csv, environment=None, prepare=None):
    """Everything that `run`, `init` and `show` say of a model."""
    folder, name = os.path.split(path)
    environment = {**os.environ, **(environment or {})}
    parts = []
    for words in [['run', name, '--json', '--no-times', '--points', '40',
                   '-o', csv],
                  ['run', name, '--stats', '--no-times', '--to', '1e-3'],
                  ['init', name, '--json', '--no-times'],
                  ['show', name, '--equations', '--jacobian', '--bytecode']]:
        result = subprocess.run(
            [DAE, *words], cwd=folder or '.', env=environment, timeout=300,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=prepare)
        parts += [result.returncode, result.stdout, result.stderr]
    with open(csv, 'rb') as file:
        return parts + [file.read()]


def decimal_comma():
    """A locale that writes 0,5 where the system has one."""
    names = subprocess.run(['locale', '-a'], stdout=subprocess.PIPE,
                           check=True).stdout.decode().split()
    return next((n for n in names if n[:2] in ('de', 'fr', 'it', 'es')), 'C')


def test_models():
    """A system that cannot fix addresses moves them with every run, which is
    the same test by chance instead of by order."""
    csv = os.path.abspath('out.csv')
    os.mkdir('elsewhere')
    for model in MODELS[::SHARE]:
        with open(os.path.join(ROOT, 'models', model + '.dae'), 'rb') as file:
            text = file.read()
        path = write(os.path.basename(model) + '.dae', text)
        moved = write(os.path.join('elsewhere', path), text)
        first = all_bytes(path, csv)
        equal(len(first[-1]) > 1000, True, 'a table')
        equal(all_bytes(path, csv) == first, True, f'{model} once more')
        equal(all_bytes(path, csv, prepare=fix_addresses) == first, True,
              f'{model} at fixed addresses')
        rubbish = {'MALLOC_PERTURB_': '165', 'MALLOC_TOP_PAD_': '12345678',
                   'MALLOC_MMAP_THRESHOLD_': '65536', 'FURTHER': 'x'*5000,
                   'LC_ALL': decimal_comma()}
        equal(all_bytes(moved, csv, rubbish) == first, True,
              f'{model} elsewhere, with rubbish in fresh memory')


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
