"""The lessons of docs: every command that one shows is run in a folder as its
reader has it, and what it prints is compared with what stands there."""

import os
import re
import subprocess

from support import DAE, ROOT, equal, write


def page(name):
    with open(os.path.join(ROOT, 'docs', name), encoding='utf-8') as file:
        return file.read()


def words_of(text):
    return re.sub(r'[-\d.e+ ]+', ' ', text)


def numbers_of(text):
    return [float(n) for n in
            re.findall(r'-?\d+(?:\.\d+)?(?:e[-+]?\d+)?', text)]


def play(name, check_listing):
    """Runs a page's commands in this folder; how many there are."""
    os.symlink(os.path.join(ROOT, 'models'), 'models')
    os.mkdir('bin')
    os.makedirs('docs/pictures')
    os.symlink(DAE, 'bin/dae')
    environment = dict(os.environ, PATH='bin:' + os.environ['PATH'])
    commands = 0
    for kind, text in re.findall(r'```(dae|text)\n(.*?)```', page(name), re.S):
        if kind == 'dae':
            write('lesson.dae', text)
            continue
        first, _, shown = text.partition('\n')
        equal(first[:2], '$ ')
        process = subprocess.run(['sh', '-c', first[2:]], env=environment,
                                 timeout=60, stdout=subprocess.PIPE, check=True)
        check_listing(shown, process.stdout.decode())
        commands += 1
    return commands
