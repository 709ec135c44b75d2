"""LAPACK and UMFPACK are loaded when a model needs them: `dae` starts without,
models that need them run, and where one is missing or no library the message
says so and nothing else is computed."""

import os
import re
import subprocess

from support import DAE, contains, dae, equal, main, write

# 40 decays: above the size at which a dense matrix goes to LAPACK
DECAYS = '''var x[i in 1..40] = i
x[i]' = -x[i] for i in 1..40
solve t in 0..1, rtol = 1e-8, atol = 1e-10
expect x[40] ~ 40*exp(-1) within 1e-5 final
'''
NEEDS_LAPACK = (['run', 'decays.dae', '--linear', 'dense'],
                ['stability', 'decays.dae'])
NEEDS_UMFPACK = (['run', 'decays.dae', '--linear', 'umfpack'],)
NEEDS_NONE = (['run', 'decays.dae', '--linear', 'klu'], ['check', 'decays.dae'],
              ['init', 'decays.dae'])


def has_umfpack():
    write('decays.dae', DECAYS)
    return 'no UMFPACK' not in dae(*NEEDS_UMFPACK[0]).err


def linked():
    return subprocess.run(['ldd', DAE], stdout=subprocess.PIPE,
                          check=True).stdout.decode()


def names():
    """What the libraries are loaded by, as the message tells it."""
    found = {}
    for part, words in (('LAPACK', NEEDS_LAPACK[0]),
                        ('UMFPACK', NEEDS_UMFPACK[0])):
        loaded = subprocess.run(
            [DAE, *words], env=dict(os.environ, LD_DEBUG='files'),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE).stderr.decode()
        opened = re.findall(r'file=(\S+) \[0\];  dynamically loaded', loaded)
        found[part] = opened[-1] if opened else ''
    return found


def without(library, words):
    """The loader finds a file of that name that is no library."""
    folder = os.path.abspath('broken')
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        os.remove(os.path.join(folder, old))
    write(os.path.join(folder, library), 'not a library')
    process = subprocess.run(
        [DAE, *words], env=dict(os.environ, LD_LIBRARY_PATH=folder),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return process.returncode, process.stderr.decode()


def test_starts_without_them():
    for part in ('blas', 'lapack', 'umfpack', 'cholmod', 'gfortran'):
        equal(part in linked(), False, f'`dae` is linked with {part}')


def test_loads_what_is_needed():
    write('decays.dae', DECAYS)
    for words in (*NEEDS_LAPACK, *NEEDS_NONE):
        dae(*words, status=0)
    if has_umfpack():
        dae(*NEEDS_UMFPACK[0], status=0)


def test_says_what_is_missing():
    write('decays.dae', DECAYS)
    cases = [('LAPACK', NEEDS_LAPACK)]
    if has_umfpack():
        cases.append(('UMFPACK', NEEDS_UMFPACK))
    for part, commands in cases:
        library = names()[part]
        if '/' in library:  # by its path: another one cannot stand in for it
            continue
        for words in commands:
            status, told = without(library, words)
            equal(status, 5, words)
            contains(told, f'error[E0007]: {part} is needed')
            contains(told, library)
        for words in NEEDS_NONE:
            equal(without(library, words), (0, ''), words)


main(globals())
