"""Ctrl-C, SIGTERM, SIGHUP: what was computed is written, exit status 128 and
the signal's number."""

import json
import os
import signal
import subprocess
import time

from support import DAE, ENDLESS, contains, equal, is_watched, main, near, write

LATE = 3 if is_watched() else 0.5  # seconds a busy machine may add

ENDS = [(signal.SIGINT, 130, 'interrupted at t = '),
        (signal.SIGTERM, 143, 'ended by SIGTERM at t = '),
        (signal.SIGHUP, 129, 'ended by SIGHUP at t = ')]


def interrupted(*words, by=signal.SIGINT):
    """Starts dae, waits until it writes its table, sends a signal."""
    process = subprocess.Popen([DAE, *words], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    begun = time.monotonic()
    while time.monotonic() - begun < 20:
        if (os.path.exists('a.partial.csv')
                and os.path.getsize('a.partial.csv') > 4096):
            break
        time.sleep(0.02)
    process.send_signal(by)
    out, err = process.communicate(timeout=20)
    return process.returncode, out.decode(), err.decode()


def check_everything_is_written(by, expected, message):
    status, out, err = interrupted(
        'run', 'endless.dae', '--json', '-o', 'a.csv', '--all-steps', by=by)
    equal(status, expected, err)
    d = json.loads(out)
    equal(d['status'], 'interrupted')
    equal([m['code'] for m in d['diagnostics']], ['E0005', 'E0008'])
    equal(os.path.exists('a.csv'), False, 'only what is whole has the name')
    equal(d['diagnostics'][0]['message'].startswith(message), True, d)
    with open('a.partial.csv') as file:
        rows = [[float(cell) for cell in line.split(',')]
                for line in file.read().splitlines()[1:]]
    equal(rows[-1], [d['t'], d['values']['x'], d['values']['v']])
    equal(len(rows), d['stats']['steps'] + 1)
    near(rows[-1][1] ** 2 + rows[-1][2] ** 2, 1, 1e-2, 'energy')


def test_everything_is_written():
    write('endless.dae', ENDLESS)
    for by, status, message in ENDS:
        check_everything_is_written(by, status, message)
        os.remove('a.partial.csv')


def test_json_files_are_whole():
    write('endless.dae', ENDLESS)
    status, _, err = interrupted('run', 'endless.dae', '-o', 'a.csv', '-o',
                                 'a.json', '--all-steps', by=signal.SIGTERM)
    equal(status, 143, err)
    with open('a.partial.json') as file:
        d = json.load(file)
    equal(d['status'], 'interrupted')
    equal(d['rows'][-1][0], d['t'])


def test_rows_into_a_pipe_are_whole():
    """The signal comes while the pipe is full."""
    write('endless.dae', ENDLESS)
    process = subprocess.Popen([DAE, 'run', 'endless.dae', '-o', '-'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=20)
    equal(process.returncode, 143, err.decode())
    lines = out.decode().split('\n')
    equal(lines[-1], '')
    equal({len(line.split(',')) for line in lines[:-1]}, {3})
    equal('E0002' in err.decode(), False, err.decode())


def test_a_reader_who_stopped_is_not_waited_for():
    """Neither where a pipe stays full nor where nobody opens its other end."""
    write('endless.dae', ENDLESS)
    os.mkfifo('nobody.csv')
    for name in ['-', 'nobody.csv']:
        process = subprocess.Popen([DAE, 'run', 'endless.dae', '-o', name],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        equal(process.poll(), None, 'waits')
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        equal(process.wait(timeout=20), 143, name)
        equal(time.monotonic() - begun < 0.2 + LATE, True, name)
        contains(process.communicate()[1].decode(), 'E0005')


def test_every_command():
    """Also those that compile nothing, while they wait for their input."""
    started = []
    for command in ['fmt', 'show', 'run']:
        for by, expected, _ in ENDS:
            process = subprocess.Popen(
                [DAE, command, '-'], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            started.append((process, command, by, expected))
    time.sleep(2)
    for process, command, by, expected in started:
        process.send_signal(by)
        process.wait(timeout=20)
        equal(process.returncode, expected, f'{command} {by}')
        process.communicate()


def test_nohup():
    """A signal to hang up that was being ignored stays so."""
    write('endless.dae', ENDLESS)
    process = subprocess.Popen(
        ['nohup', DAE, 'run', 'endless.dae', '--time-limit', '2', '--quiet'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=20)
    equal(process.returncode, 6, err.decode())


def test_many_models():
    os.mkdir('models')
    for name in 'ab':
        write(f'models/{name}.dae', ENDLESS + 'expect x > 0 final\n')
    process = subprocess.Popen([DAE, 'test', 'models', '--json'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=20)
    equal(process.returncode, 143, err.decode())
    equal([m['model'] for m in json.loads(out)], ['models/a.dae'])


def test_text():
    write('endless.dae', ENDLESS)
    status, out, err = interrupted(
        'run', 'endless.dae', '-o', 'a.csv', '--all-steps')
    equal(status, 130, err)
    contains(err, 'E0005')
    contains(out, 'a.partial.csv: ')


main(globals())
