"""Files that cannot be lost: whatever ends a command, what is there is the old file, or
the whole new one; and what was computed is beside it. `slow` kills 200 times and lets every call fail."""

import json
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import time

from support import (DAE, ENDLESS, ROOT, contains, dae, equal, is_watched, main, write)

SLOW = len(sys.argv) > 3
SOME = 1 if SLOW else 5  # one of so many calls fails
OLD = 'of yesterday\n'

# takes a quarter of a second, in which it writes a megabyte
MODEL = '''var x = 1, v = 0
x' = v
v' = -x
solve t in 0..200, rtol = 1e-9, atol = 1e-12
plot x
'''
GNUPLOT = '#!/bin/sh\ncat >/dev/null\necho "<?xml ?><svg></svg>"\n'
UGLY = "var x=1\nx'=-x\n"


def read(name):
    with open(name, 'rb') as file:
        return file.read()


def check_table(name, reference, may_be_torn=False):
    """Whole rows, the first ones of what the whole run writes, and that of the time at
    which it ended."""
    lines = read(name).split(b'\n')
    if not may_be_torn:
        equal(lines[-1], b'', f'{name}: whole rows')
    most = max(0, len(lines) - 2)
    equal(lines[:most] == reference.split(b'\n')[:most], True, name)
    if not may_be_torn:
        equal(len(lines) > 2 and lines[-2].count(b','), 2)


def check_document(name, reference):
    """A document whose rows are the first ones of the run's."""
    document = json.loads(read(name))
    rows = document['rows']
    equal(rows[:-1] == reference['rows'][:len(rows) - 1], True, name)
    equal(len(rows[-1]), 3)
    equal(document['columns'], reference['columns'])
    equal('status' in document and document['status'] == 'done', False, name)


# ---- kills -----------------------------------------------------------------------


def test_kills():
    """At random times, by random signals."""
    words = ['run', 'm.dae', '--points', '20000', '--no-times', '-o', 'a.csv', '-o',
             'a.json']
    write('m.dae', MODEL)
    begun = time.monotonic()
    dae(*words, status=0)
    seconds = time.monotonic() - begun
    whole = {name: read(name) for name in ['a.csv', 'a.json']}
    reference = json.loads(whole['a.json'])
    chance = random.Random(23)
    met = {'old': 0, 'new': 0, 'kept': 0}
    for k in range(200 if SLOW else 12):
        for name in whole:
            write(name, OLD)
        by = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM,
                            signal.SIGINT, signal.SIGHUP])
        process = subprocess.Popen([DAE, *words], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(chance.uniform(0, 1.2*seconds))
        process.send_signal(by)
        err = process.communicate(timeout=60)[1]
        what = f'kill {k} by {by}: {process.returncode} {err}'
        for name in whole:
            text = read(name)
            equal(text in (OLD.encode(), whole[name]), True, f'{what}: {name}')
            met['new' if text == whole[name] else 'old'] += 1
            equal(process.returncode == 0 and text != whole[name], False, what)
        for name in sorted(set(os.listdir('.')) - set(whole) - {'m.dae'}):
            equal(name in ('a.partial.csv', 'a.partial.json'), True, f'{what}: {name}')
            if name == 'a.partial.csv':
                check_table(name, whole['a.csv'], by == signal.SIGKILL)
            elif by != signal.SIGKILL:
                check_document(name, reference)
            if by != signal.SIGKILL:
                contains(err, f'is kept in `{name}`')
            met['kept'] += 1
            os.remove(name)
    equal(met['old'] > 0, True, met)
    if SLOW:
        equal(min(met.values()) > 20, True, met)
        print(f'200 kills leave {met["old"]} old files, {met["new"]} new ones and '
              f'{met["kept"]} kept beside them')


def test_limits():
    """The time limit ends a run in order, or where it stands."""
    write('m.dae', ENDLESS)
    write('a.csv', OLD)
    r = dae('run', 'm.dae', '-o', 'a.csv', '-o', 'a.json', '--all-steps',
            '--time-limit', '0.5', status=6)
    contains(r.err, 'what was computed is kept in `a.partial.csv`; `a.csv` is as it was')
    equal(read('a.csv').decode(), OLD)
    document = json.loads(read('a.partial.json'))
    equal(document['status'], 'limit')
    equal([m['code'] for m in document['diagnostics']], ['E0004', 'E0008', 'E0008'])
    rows = read('a.partial.csv').decode().splitlines()[1:]
    equal(len(rows), len(document['rows']))
    equal([float(v) for v in rows[-1].split(',')], document['rows'][-1])
    # the next run takes its place
    dae('run', 'm.dae', '-o', 'a.csv', '--to', '1', status=0)
    equal(sorted(os.listdir('.')), ['a.csv', 'a.partial.json', 'm.dae'])


def test_verdicts():
    """A run that ends by itself has a whole file; one that has no start, none."""
    write('m.dae', "var x = 1\nx' = x^2\nsolve t in 0..2\n")
    write('a.csv', OLD)
    dae('run', 'm.dae', '-o', 'a.csv', status=4)
    equal(read('a.csv').startswith(b't,x\n'), True)
    write('m.dae', "var x = 1\nx' = 1\nwhen x > 2\n  stop \"far\"\nend\nsolve t in 0..9\n")
    dae('run', 'm.dae', '-o', 'a.csv', status=0)
    equal(read('a.csv').decode().splitlines()[-1].split(',')[0][:1], '1')
    write('a.csv', OLD)
    write('m.dae', "var x = 1, y = 2\nx' = 1\ny = x\nsolve t in 0..9\n")
    dae('run', 'm.dae', '-o', 'a.csv', status=1)
    equal(read('a.csv').decode(), OLD)
    equal(sorted(os.listdir('.')), ['a.csv', 'm.dae'])


def test_two_runs_at_once():
    """Neither writes into what the other one has beside the file."""
    write('m.dae', ENDLESS)
    first = subprocess.Popen([DAE, 'run', 'm.dae', '-o', 'a.csv'],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists('a.partial.csv') or not os.path.getsize('a.partial.csv'):
        time.sleep(0.02)
    dae('run', 'm.dae', '-o', 'a.csv', '--to', '1', status=0)
    r = dae('run', 'm.dae', '-o', 'a.csv', '--max-steps', '1000', status=6)
    contains(r.err, 'is kept in `a.partial-2.csv`')
    first.send_signal(signal.SIGTERM)
    equal(first.wait(timeout=20), 143)
    equal(len(read('a.partial-2.csv').splitlines()), 1002)
    equal(len(read('a.partial.csv').splitlines()) > 1002, True)
    equal(len(read('a.csv').splitlines()) < 1002, True)


def kept(name='a.partial.csv'):
    return read(name) if os.path.exists(name) else None


def test_a_run_without_a_start_keeps_what_an_earlier_one_has_left():
    write('m.dae', MODEL)
    write('wrong.dae', "var x = 1, y = 2\nx' = 1\ny = x\nsolve t in 0..9\n")
    dae('run', 'm.dae', '-o', 'a.csv', '--max-steps', '100', status=6)
    old = kept()
    equal(len(old.splitlines()), 102)
    dae('run', 'wrong.dae', '-o', 'a.csv', status=1)
    dae('run', 'nowhere.dae', '-o', 'a.csv', status=5)
    equal(kept() == old, True)
    r = dae('run', 'm.dae', '-o', 'a.csv', '--max-steps', '10', status=6)
    contains(r.err, 'is kept in `a.partial.csv`')
    equal(len(kept().splitlines()), 12)
    equal(sorted(os.listdir('.')), ['a.partial.csv', 'm.dae', 'wrong.dae'])
    dae('run', 'm.dae', '-o', 'a.csv', status=0)
    equal(sorted(os.listdir('.')), ['a.csv', 'm.dae', 'wrong.dae'])


def test_runs_that_find_the_same_file_of_an_earlier_one():
    """Each has a file of its own: none writes into that of another or removes it."""
    write('m.dae', MODEL)
    for k in range(25 if SLOW else 3):
        write('a.partial.csv', 't,x,v\n0,1,0\n')
        runs = [subprocess.Popen([DAE, 'run', 'm.dae', '-o', 'a.csv', '--max-steps', str(steps)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                for steps in [20, 30, 40, 50]]
        names = []
        for steps, process in zip([20, 30, 40, 50], runs):
            err = process.communicate(timeout=60)[1]
            names += [word for word in err.split('`') if word.startswith('a.partial')]
        found = [name for name in os.listdir('.') if 'partial' in name]
        equal(set(found) <= set(names), True, (k, found, names))
        for name in found:
            equal(len(read(name).splitlines()) in (22, 32, 42, 52), True, name)
            os.remove(name)


def failing_library():
    subprocess.run(['cc', '-shared', '-fPIC', '-o', 'failing.so',
                    os.path.join(ROOT, 'tests/command/failing_calls.c'), '-ldl'],
                   check=True)
    return os.path.abspath('failing.so')


def test_signals_while_files_are_synced():
    """The disk takes long: what is there is kept, and its name is told."""
    if is_watched():
        return
    write('m.dae', ENDLESS)
    slow = dict(os.environ, LD_PRELOAD=failing_library(), FSYNC_SECONDS='9')
    for words, rows in [(['--to', '1', '--points', '9'], 10), (['--max-steps', '30'], 32),
                        (['--all-steps'], None)]:
        write('a.csv', OLD)
        process = subprocess.Popen([DAE, 'run', 'm.dae', '-o', 'a.csv', *words], env=slow,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not os.path.exists('a.partial.csv') or not os.path.getsize('a.partial.csv'):
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        if not rows:  # the first one is obeyed in order, and that takes long
            time.sleep(2.2)
            equal(process.poll(), None)
            process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        err = process.communicate(timeout=60)[1]
        equal(time.monotonic() - begun < 5, True, err)
        equal(process.returncode, 143, err)
        contains(err, 'is kept in `a.partial.csv`; `a.csv` is as it was')
        equal(read('a.csv').decode(), OLD)
        equal(kept()[-1:], b'\n')
        equal(rows in (None, len(kept().splitlines())), True)
        os.remove('a.partial.csv')


def test_long_names():
    """What is written beside a file has a name that the file system takes."""
    write('m.dae', MODEL)
    for stem in ['a'*251, 'a' + '\u00e4'*125, '\u20ac'*83 + 'ab']:
        name = stem + '.csv'
        equal(len(name.encode()), 255)
        dae('run', 'm.dae', '-o', name, '--to', '1', status=0)
        r = dae('run', 'm.dae', '-o', name, '--max-steps', '10', status=6)
        os.remove(name)
        (left,) = [n for n in os.listdir('.') if 'partial' in n]
        contains(r.err, f'is kept in `{left}`')
        equal(left.endswith('.partial.csv') and len(left.encode()) > 250, True, left)
        os.remove(left)
        dae('show', 'm.dae', '--structure', '-o', stem + '.svg', status=0)
        os.remove(stem + '.svg')
    contains(dae('run', 'm.dae', '-o', 'a'*252 + '.csv', status=5).err, 'File name too long')
    equal(os.listdir('.'), ['m.dae'])


# ---- disks -----------------------------------------------------------------------


def limited(size, *words):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return subprocess.run([DAE, *words], preexec_fn=limit, text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_files_that_may_not_grow():
    write('m.dae', MODEL)
    dae('run', 'm.dae', '-o', 'a.csv', '-o', 'a.json', '--no-times', status=0)
    table, document = read('a.csv'), json.loads(read('a.json'))
    for size in [0, 1, 10, 100, 1000, 10000, 65536, 65537, 1000000]:
        write('a.csv', OLD)
        write('a.json', OLD)
        r = limited(size, 'run', 'm.dae', '-o', 'a.csv', '--no-times')
        j = limited(size, 'run', 'm.dae', '-o', 'a.json', '--no-times')
        if size > len(table):
            equal((r.returncode, j.returncode), (0, 5 if size < 10**6 else 0), r.stderr)
            continue
        equal((r.returncode, j.returncode), (5, 5), r.stderr + j.stderr)
        equal((read('a.csv') + read('a.json')).decode(), 2*OLD)
        contains(r.stderr, 'cannot write `a.csv`: File too large')
        for name in ['a.partial.csv', 'a.partial.json']:
            if os.path.exists(name):
                contains(r.stderr + j.stderr, f'is kept in `{name}`')
        if os.path.exists('a.partial.csv'):
            check_table('a.partial.csv', table)
        if os.path.exists('a.partial.json') and size > 8192:
            check_document('a.partial.json', document)


def test_full_disk():
    """A small file system in memory, where one may be mounted."""
    os.mkdir('disk')
    mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', 'disk'],
                             stderr=subprocess.DEVNULL).returncode == 0
    if not mounted:
        return
    try:
        write('m.dae', MODEL)
        for name in ['a.csv', 'a.json']:
            write('disk/' + name, OLD)
        for name in ['a.csv', 'a.json']:
            r = dae('run', 'm.dae', '--points', '20000', '-o', f'disk/{name}', status=5)
            contains(r.err, f'cannot write `disk/{name}`: No space left on device')
            kept = name.replace('.', '.partial.')
            contains(r.err, f'is kept in `disk/{kept}`')
            equal(read(f'disk/{name}').decode(), OLD)
            text = read(f'disk/{kept}')
            equal(len(text) > 40000, True)
            if name == 'a.csv':
                equal(text[-1:], b'\n')
            else:
                equal(len(json.loads(text)['rows']) > 100, True)
            os.remove(f'disk/{kept}')
    finally:
        subprocess.run(['umount', 'disk'], check=True)


# ---- calls that fail --------------------------------------------------------------


COMMANDS = [
    (['run', 'm.dae', '-o', 'a.csv', '-o', 'a.json', '--no-times'], ['a.csv', 'a.json']),
    (['run', 'm.dae', '-o', 'a.csv', '--points', '9', '--no-times'], ['a.csv']),
    (['run', 'm.dae', '-o', 'a.svg', '--no-times'], ['a.svg']),
    (['show', 'm.dae', '--structure', '-o', 'a.svg'], ['a.svg']),
    (['stability', '--methods', 'bdf2', '-o', 'a.svg'], ['a.svg']),
    (['orders', 'm.dae', '--study', 'steps', '--orders', '1', '--steps', '0.5', '--to',
      '1', '-o', 'a.svg'], ['a.svg']),
    (['fmt', 'ugly.dae'], ['ugly.dae']),
]


def run_failing(words, at, on=False):
    environment = dict(os.environ, LD_PRELOAD=os.path.abspath('failing.so'),
                       PATH=os.path.abspath('bin') + ':/usr/bin:/bin', FAIL_AT=str(at),
                       FAIL_WITH='28', FAIL_COUNT=os.path.abspath('count'))
    if on:
        environment['FAIL_ON'] = '1'
    process = subprocess.run([DAE, *words], env=environment, text=True, timeout=60,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return process, int(read('count'))


def check_failing(words, names, whole, at, on):
    """Returns whether there was such a call."""
    for name in names:
        write(name, UGLY if name == 'ugly.dae' else OLD)
    old = {name: read(name) for name in names}
    before = set(os.listdir('.'))
    process, count = run_failing(words, at, on)
    what = f'{words}, call {at}: {process.returncode}\n{process.stderr}'
    for name in names:
        text = read(name)
        equal(text in (old[name], whole[name]), True, f'{what}: {name}')
        if process.returncode == 0:
            equal(text == whole[name], True, f'{what}: {name}')
    equal(process.returncode in (0, 5), True, what)
    if process.returncode:
        contains(process.stderr, 'error[E000')
    for name in sorted(set(os.listdir('.')) - before):
        contains(process.stderr, f'is kept in `{name}`')
        if name == 'a.partial.csv':
            check_table(name, whole['a.csv'], on)
        else:
            equal(name, 'a.partial.json', what)
            if not on:
                equal(json.loads(read(name))['columns'], ['t', 'x', 'v'])
        os.remove(name)
    return at < count


def test_failing_calls():
    """Every write, fsync, rename, open, close, ftruncate and chmod of every command
    that writes files."""
    if is_watched():
        return  # the library would have to come before the sanitizers' own
    failing_library()
    os.mkdir('bin')
    write('bin/gnuplot', GNUPLOT)
    os.chmod('bin/gnuplot', 0o755)
    write('m.dae', MODEL)
    write('count', '0')
    done = 0
    for words, names in COMMANDS:
        write('ugly.dae', UGLY)
        process, _ = run_failing(words, -1)
        equal(process.returncode, 0, process.stderr)
        whole = {name: read(name) for name in names}
        for on in [False, True]:
            at = done % SOME
            while check_failing(words, names, whole, at, on):
                at += SOME
                done += 1
    equal(done*SOME > 250, True, done)
    if SLOW:
        print(f'{done} failing calls of {len(COMMANDS)} commands lose nothing')


# ---- targets ---------------------------------------------------------------------


def test_links_and_modes():
    write('m.dae', MODEL)
    os.mkdir('far')
    write('far/a.csv', OLD)
    os.chmod('far/a.csv', 0o640)
    os.symlink('far/a.csv', 'b.csv')
    os.symlink('b.csv', 'c.csv')
    os.symlink('far/new.csv', 'd.csv')
    dae('run', 'm.dae', '-o', 'c.csv', '-o', 'd.csv', status=0)
    equal(os.readlink('c.csv'), 'b.csv')
    equal(os.readlink('b.csv'), 'far/a.csv')
    equal(os.readlink('d.csv'), 'far/new.csv')
    equal(read('far/a.csv'), read('far/new.csv'))
    equal(stat.S_IMODE(os.stat('far/a.csv').st_mode), 0o640)
    umask = os.umask(0)
    os.umask(umask)
    equal(stat.S_IMODE(os.stat('far/new.csv').st_mode), 0o666 & ~umask)
    equal(sorted(os.listdir('far')), ['a.csv', 'new.csv'])
    os.symlink('e.csv', 'f.csv')
    os.symlink('f.csv', 'e.csv')
    contains(dae('run', 'm.dae', '-o', 'e.csv', status=5).err, 'E0002')
    if os.geteuid():
        os.chmod('far/a.csv', 0o440)
        contains(dae('run', 'm.dae', '-o', 'b.csv', status=5).err, 'Permission denied')


def test_what_is_no_file():
    """Pipes and devices are written as they are, and stay what they are."""
    write('m.dae', MODEL)
    dae('run', 'm.dae', '-o', 'a.csv', status=0)
    os.mkfifo('pipe.csv')
    process = subprocess.Popen([DAE, 'run', 'm.dae', '-o', 'pipe.csv', '--quiet'])
    equal(read('pipe.csv') == read('a.csv'), True)
    equal(process.wait(timeout=20), 0)
    equal(stat.S_ISFIFO(os.stat('pipe.csv').st_mode), True)
    os.symlink('/dev/stdout', 'out.csv')
    for name in ['-', 'out.csv']:
        equal(dae('run', 'm.dae', '-o', name, '--quiet', status=0).out.encode()
              == read('a.csv'), True)
        with open('log', 'w', encoding='utf-8') as log:
            log.write('first\n')
            log.flush()
            subprocess.run([DAE, 'run', 'm.dae', '-o', name, '--quiet'], stdout=log,
                           check=True)
        equal(read('log') == b'first\n' + read('a.csv'), True, name)
    os.symlink('/dev/null', 'null.json')
    dae('run', 'm.dae', '-o', 'null.json', status=0)
    equal(os.readlink('null.json'), '/dev/null')
    os.mkdir('folder.csv')
    contains(dae('run', 'm.dae', '-o', 'folder.csv', status=5).err, 'Is a directory')
    equal([n for n in os.listdir('.') if 'partial' in n], [])


def test_inputs():
    """What the model is read from is never written to, by whatever name."""
    data = 't,u\n0,1\n300,2\n'
    write('u.csv', data)
    write('v.partial.csv', data)
    model = MODEL + ('input u = table("u.csv", x = "t", y = "u")\n'
                     'input w = table("v.partial.csv", x = "t", y = "u")\n')
    write('m.dae', model.replace('v\' = -x', 'v\' = -x*u/u'))
    os.link('u.csv', 'hard.csv')
    os.symlink('u.csv', 'soft.csv')
    os.link('m.dae', 'model.csv')
    os.link('m.dae', 'model.svg')
    for name in ['u.csv', './u.csv', 'hard.csv', 'soft.csv', 'model.csv']:
        err = dae('run', 'm.dae', '-o', name, status=5).err
        contains(err, f'error[E0002]: cannot write `{name}`: the command reads it')
    for words in [['run', 'm.dae'], ['show', 'm.dae', '--structure'],
                  ['orders', 'm.dae'], ['stability', 'm.dae', '--step', '1']]:
        contains(dae(*words, '-o', 'model.svg', status=5).err, 'the command reads it')
    with open('m.dae', encoding='utf-8') as text:
        r = subprocess.run([DAE, 'run', '-', '-o', 'model.csv'], stdin=text,
                           stderr=subprocess.PIPE, text=True)
    contains(r.stderr, 'cannot write `model.csv`: the command reads it')
    contains(dae('run', 'm.dae', '-o', 'a.csv', '-o', 'b.csv', '-o', 'a.csv',
                 status=5).err, 'cannot write `a.csv`: it is named twice')
    contains(dae('run', 'm.dae', '-o', 'a.csv', '-o', './a.csv', status=5).err,
             'cannot write `./a.csv`: it is named twice')
    dae('run', 'm.dae', '-o', 'w.partial.csv', '-o', 'w.csv', status=0)
    equal(read('w.csv'), read('w.partial.csv'))
    # nor is it written to on the way to another file
    r = dae('run', 'm.dae', '-o', 'v.csv', '--max-steps', '100', status=6)
    contains(r.err, 'is kept in `v.partial-2.csv`')
    equal(read('u.csv').decode() + read('v.partial.csv').decode(), data + data)


main(globals())
