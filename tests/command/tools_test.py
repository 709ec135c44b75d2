"""dae init, show, fmt, explain, help and the version."""

import os
import re
import shlex
import stat

from support import DECAY, ROOT, contains, dae, equal, main, near, write

INDEX1 = '''var x = 3, u ~ 1, w ~ -1
x' = -x*u
u^2 = x + 1
w*u = 1
solve t in 0..1
'''


def test_init():
    write('m.dae', INDEX1)
    d = dae('init', 'm.dae', '--json', '--no-times', status=0).json
    equal(list(d)[:5], ['model', 'status', 't', 'values', 'derivatives'])
    equal([d['model'], d['status'], d['t']], ['m', 'done', 0])
    near(d['values']['x'], 3, 0)
    near(d['values']['u'], 2, 1e-9)
    near(d['values']['w'], 0.5, 1e-9)
    near(d['derivatives']["x'"], -6, 1e-8)
    out = dae('init', 'm.dae', status=0).out
    contains(out, 'consistent start at t = 0')
    contains(out, 'condition')


def test_init_shows_conditions_on_derivatives():
    write('m.dae', "var φ = 1\nφ'' = -φ\ninit φ' = 2\nsolve t in 0..1\n")
    table = dae('init', 'm.dae', status=0).out.split('\nresiduals\n')[0]
    lines = table.splitlines()
    marks = {line.split()[0]: line.split()[2:] for line in lines
             if line.startswith('  ')}
    equal(marks, {'φ': ['condition'], "φ'": ['condition'], "φ''": []})


def test_init_to_paste():
    write('m.dae', INDEX1)
    lines = dae('init', 'm.dae', '--as-dae', status=0).out
    contains(lines, '# x = 3 is a condition')
    contains(lines, 'init u ~ ')
    write('again.dae', INDEX1 + lines)
    d = dae('init', 'again.dae', '--json', status=0).json
    near(d['values']['u'], 2, 1e-9)
    near(d['derivatives']["x'"], -6, 1e-8)


def test_init_needs_no_interval():
    write('m.dae', INDEX1.replace('solve t in 0..1\n', ''))
    dae('init', 'm.dae', status=0)
    contains(dae('run', 'm.dae', status=2).err, '--to')
    dae('run', 'm.dae', '--to', '1', status=0)


def test_init_of_a_contradiction():
    write('m.dae', "var x = 2, y = 0\ny' = x\nx^2 + y^2 = 1\n")
    d = dae('init', 'm.dae', '--json', status=1).json
    equal(d['status'], 'inconsistent')
    equal('values' in d, False)


def test_show():
    write('decay.dae', DECAY)
    seen = set()
    for listing in 'tokens', 'ast', 'equations', 'jacobian', 'bytecode':
        out = dae('show', 'decay.dae', '--' + listing, status=0).out
        equal(len(out) > 100, True, listing)
        seen.add(out)
    equal(len(seen), 5)
    contains(dae('show', 'decay.dae', status=0).out, 'rest')
    contains(dae('show', '-', '--ast', stdin=DECAY, status=0).out, 'Decay')
    write('wrong.dae', "var x = 1\nx' = -z\n")
    dae('show', 'wrong.dae', '--tokens', status=0)
    contains(dae('show', 'wrong.dae', '--equations', status=3).err, 'E0201')
    dae('show', 'missing.dae', status=5)


UNTIDY = '# a comment\nvar   x=1 # kept\nx\'=-x\nsolve t in 0..1\n'


def test_fmt():
    write('m.dae', UNTIDY)
    os.chmod('m.dae', 0o640)
    equal(dae('fmt', 'm.dae', '--check', status=1).out, 'm.dae\n')
    with open('m.dae') as file:
        equal(file.read(), UNTIDY, 'after --check')
    dae('fmt', 'm.dae', status=0)
    equal(stat.S_IMODE(os.stat('m.dae').st_mode), 0o640)
    with open('m.dae') as file:
        tidy = file.read()
    contains(tidy, '# a comment')
    contains(tidy, '# kept')
    equal(tidy != UNTIDY, True)
    dae('fmt', 'm.dae', '--check', status=0)
    equal(dae('fmt', '-', stdin=UNTIDY, status=0).out, tidy)
    equal(dae('fmt', '-', stdin=tidy, status=0).out, tidy)
    equal(sorted(os.listdir('.')), ['m.dae'])


def test_fmt_leaves_what_it_cannot_read():
    write('m.dae', 'var x = = 1\n')
    contains(dae('fmt', 'm.dae', status=3).err, 'm.dae:1:9')
    with open('m.dae') as file:
        equal(file.read(), 'var x = = 1\n')
    dae('fmt', 'missing.dae', status=5)


def test_explain():
    out = dae('explain', 'E0201', status=0).out
    equal(out.splitlines()[0], '# E0201: an unknown name')
    equal(dae('explain', 'e0201', status=0).out, out)
    contains(dae('explain', 'E9999', status=2).err, 'E9999')


def test_help():
    overview = dae('help', status=0).out
    for command in ('run', 'check', 'init', 'stability', 'test', 'show', 'fmt',
                    'explain'):
        contains(overview, f'dae {command} ')
        page = dae('help', command, status=0).out
        contains(page, f'dae {command} ')
        equal(dae(command, '--help', status=0).out, page)
    # what is listed is taken
    write('m.dae', DECAY)
    for command in ('run', 'check', 'init', 'orders', 'stability', 'test',
                    'show', 'fmt'):
        page = dae('help', command, status=0).out
        for option in sorted(set(re.findall(r'^(?:  | {24}).*?$', page, re.M))):
            for word in re.findall(r'(?<![\w`-])--[a-z-]+', option):
                said = dae(command, 'm.dae', word).err
                equal('takes no --' in said or 'unknown option' in said, False,
                      f'{command} {word}: {said}')
    contains(dae('help', 'methods', status=0).out, 'bdf')
    dae('help', 'nothing', status=2)
    equal(dae('--version', status=0).out.split()[0], 'dae')


def test_examples_of_help():
    """Each page has some, and they do what they say."""
    os.symlink(os.path.join(ROOT, 'models'), 'models')
    for command in ('run', 'check', 'init', 'orders', 'stability', 'test', 'show', 'fmt',
                    'explain'):
        page = dae(command, '--help', status=0).out
        examples = page[page.index('\nexamples\n') + 10:].splitlines()
        equal(len(examples) > 0, True, command)
        for line in examples:
            words = shlex.split(line)
            equal(words[:2], ['dae', command])
            dae(*words[1:], status=0)


def test_what_was_meant():
    for words, what in [(['rnu'], 'command `rnu`; did you mean `run`?'),
                        (['chek'], 'command `chek`; did you mean `check`?'),
                        (['stab'], 'command `stab`; did you mean `stability`?'),
                        (['xyz'], 'command `xyz` (see'),
                        (['run', '--rtoll', '1'], '`--rtoll`; did you mean `--rtol`?'),
                        (['run', '--out', 'x'], '`--out`; did you mean `--output`?'),
                        (['run', '--maxsteps=3'], '`--maxsteps`; did you mean `--max-steps`?'),
                        (['check', '--verbos'], '`--verbos`; did you mean `--verbose`?'),
                        (['run', '--zzz'], 'option `--zzz` (see'),
                        (['run', '-x'], 'option `-x` (see')]:
        kind = '' if what[0] != '`' else 'option '
        contains(dae(*words, status=2).err, f'there is no {kind}{what}')
    contains(dae('run', 'm.dae', '--method', 'bfd', status=2).err,
             'there is no method `bfd`: did you mean `bdf`?')
    equal(dae('-V', status=0).out, dae('--version', status=0).out)


def test_what_a_name_was_to_be():
    write('m.dae', """param mass = 2
var level = 1, speed = 0
output energy = (level^2 + mass*speed^2)/2
level' = speed
mass*speed' = -level
solve t in 0..1
""")
    for option, meant in [('--columns=speed,levle', 'level'), ('--plot=sped', 'speed'),
                          ('--drift=energie', 'energy'), ('--profile=levl', 'level'),
                          ('--atol=levle=1e-3', 'level'), ('--set=mas=3', 'mass')]:
        told = dae('run', 'm.dae', option, '-o', 'm.svg' if 'pl' in option else 'm.csv').err
        contains(told, f'did you mean `{meant}`?')
    for option in '--columns=quantity', '--drift=q', '--atol=quantity=1', '--set=quantity=1':
        equal('did you mean' in dae('run', 'm.dae', option, '-o', 'm.csv', status=None).err, False)


def test_what_is_not_there_yet():
    write('decay.dae', DECAY)
    for words in [['run', 'decay.dae', '--threads', '2'],
                  ['run', 'decay.dae', '--method', 'mebdf']]:
        contains(dae(*words, status=2).err, 'not available yet')


main(globals())
