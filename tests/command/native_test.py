"""Machine code for programs that are run often: the same bytes as without, in
every file and report, and --native never."""

import os

from support import ROOT, contains, dae, equal, main

MODELS = {
    'chemistry/hires.dae': ['--method', 'bdf'],
    'circuits/ring_modulator.dae': ['--to', '1e-4'],
    'circuits/nand_gate.dae': [],
    'mechanics/andrews.dae': ['--method', 'radau'],
    'mechanics/pendulum.dae': ['--method', 'radau'],
}


def run(name, *words):
    ran = dae('run', os.path.join(ROOT, 'models', name), '-o', 'x.csv',
              '--points', '20', '--stats', '--no-times', *words)
    with open('x.csv', encoding='utf-8') as file:
        return ran.out + ran.err + file.read()


def test_the_same_bytes():
    for name, words in MODELS.items():
        equal(run(name, *words), run(name, '--native', 'never', *words), name)


def test_wrong_use():
    path = os.path.join(ROOT, 'models/mechanics/pendulum.dae')
    contains(dae('run', path, '--native', 'always', status=2).err,
             '--native wants auto or never, not `always`')
    for command in ['check', 'init', 'test', 'orders']:
        dae(command, path, '--native', 'auto', '--quiet', status=0)


main(globals())
