"""Whole reports of `dae check`: tests/report/NAME.dae gives NAME.txt, the exit
status and what stands on standard output. With `--bless` as third word the texts
are written, for review. What must be true of them whatever their words are is in
the other tests of the check."""

import glob
import os
import sys

from support import ROOT, dae, equal, main

FOLDER = os.path.join(ROOT, 'tests', 'report')
IS_BLESSED = sys.argv[3:] == ['--bless']


def report(path):
    words = ['--no-times']
    with open(path, encoding='utf-8') as file:
        if '# verbose' in file.read():
            words.append('--verbose')
    os.chdir(FOLDER)
    result = dae('check', *words, os.path.basename(path))
    return f'exit status {result.status}\n{result.out}'


def test_reports():
    paths = sorted(glob.glob(os.path.join(FOLDER, '*.dae')))
    assert len(paths) >= 15, paths
    for path in paths:
        shown = report(path)
        kept = path[:-4] + '.txt'
        if IS_BLESSED:
            with open(kept, 'w', encoding='utf-8') as file:
                file.write(shown)
        with open(kept, encoding='utf-8') as file:
            equal(shown, file.read(), os.path.basename(path))
        for line in shown.splitlines():
            assert len(line) <= 100, line
            assert line == line.rstrip(), repr(line)


main(globals())
