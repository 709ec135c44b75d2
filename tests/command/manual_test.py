"""Man pages and what shells complete, as the build makes them beside `dae`: every option of
every command is there, and the shells can read them."""

import os
import re
import shutil
import subprocess

from support import DAE, ROOT, contains, dae, equal, main

PAGES = os.path.join(os.path.dirname(DAE), 'pages')
COMMANDS = ['run', 'check', 'init', 'orders', 'stability', 'test', 'show', 'fmt', 'explain']


def page(name):
    with open(os.path.join(PAGES, name), encoding='utf-8') as file:
        return file.read()


def known():
    """Of the table in the sources: option, commands that take it by the command line."""
    with open(os.path.join(ROOT, 'tools/dae/options.c'), encoding='utf-8') as file:
        found = re.findall(r'\{"(--[a-z-]+)",\s*(?:NULL|"[^"]*"),\s*(\w+)', file.read())
    return {name for name, kind in found if not kind.startswith('OPTION_MISSING')}


def taken(command):
    """Asked one by one: what is refused is refused by name."""
    return {name for name in known()
            if f'takes no {name}' not in dae(command, name, '--help').err}


def test_every_option_is_there():
    equal(len(known()) > 50, True)
    fish = page('dae.fish')
    for command in COMMANDS:
        options = taken(command)
        equal(len(options) >= 3, True, command)
        manual = page(f'dae-{command}.1').replace('\\-', '-')
        equal(set(re.findall(r'^(?:\.TP\n)(?:\\fB-\w\\fR, )?\\fB(--[a-z-]+)', manual, re.M)), options, command)
        (line,) = re.findall(rf'^    {command}\) _dae_options (.*) ;;$', page('dae.bash'), re.M)
        equal({word for word in line.split() if word[:2] == '--'}, options, command)
        part = page('_dae').split(f'\n    {command})\n')[1].split(';;')[0]
        equal(set(re.findall(r"'\*(--[a-z-]+)", part)), options, command)
        equal({'--' + name for name in re.findall(rf"seen_subcommand_from {command}'(?: -s \w)? -l ([a-z-]+)", fish)},
              options, command)
        contains(page('dae.1').replace('\\-', '-'), f'dae-{command} (1)')
        text = dae('help', command, status=0).out
        for name in options - {'--output'}:
            equal(re.search(rf'^  (-h, )?{name}\b', text, re.M) is not None, True, f'help {command}: {name}')


def test_values():
    """What can be chosen is taken."""
    bash = page('dae.bash')
    for name in ['--linear', '--reduce', '--condense', '--native', '--color', '--method']:
        (words,) = re.findall(rf'^    {name}\) _dae_words (.*); return ;;$', bash, re.M)
        equal(len(words.split()) > 1, True, name)
        for word in words.split():
            equal(dae('run', 'absent.dae', name, word, '--step', '1').status, 5, f'{name} {word}')


def test_shells_read_them():
    for shell, words, name in [('bash', ['-n'], 'dae.bash'), ('zsh', ['-n'], '_dae'),
                               ('fish', ['--no-execute'], 'dae.fish')]:
        if shutil.which(shell):
            done = subprocess.run([shell, *words, os.path.join(PAGES, name)], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            equal((done.returncode, done.stdout), (0, ''), shell)


def completed(*words):
    script = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dae; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(['bash', '-c', script, os.path.join(PAGES, 'dae.bash'), *words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    equal(done.stderr, '')
    return done.stdout.split('\n')[:-1]


def test_bash_completes():
    open('my model.dae', 'w', encoding='utf-8').close()
    equal(completed('dae', 'st'), ['stability'])
    equal(completed('dae', 'run', '--rt'), ['--rtol'])
    equal(completed('dae', 'run', '--color', 'a'), ['auto', 'always'])
    equal(completed('dae', 'run', '--color', '=', 'n'), ['never'])
    equal(completed('dae', 'show', 'my'), ['my model.dae'])
    equal('radau' in completed('dae', 'run', '--method', ''), True)


def test_readers_of_manuals_have_no_complaint():
    for name in sorted(os.listdir(PAGES)):
        if name.endswith('.1') and shutil.which('groff'):
            done = subprocess.run(['groff', '-man', '-ww', '-z', '-Tutf8', os.path.join(PAGES, name)], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            equal((done.returncode, done.stdout), (0, ''), name)


main(globals())
