"""Ctrl-C: what was computed is written, exit status 130."""

import json
import os
import signal
import subprocess
import time

from support import DAE, ENDLESS, contains, equal, main, near, write


def interrupted(*words):
    """Starts dae, waits until it writes its table, sends SIGINT."""
    process = subprocess.Popen([DAE, *words], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    begun = time.monotonic()
    while time.monotonic() - begun < 20:
        if os.path.exists('a.csv') and os.path.getsize('a.csv') > 4096:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    return process.returncode, out.decode(), err.decode()


def test_everything_is_written():
    write('endless.dae', ENDLESS)
    status, out, err = interrupted(
        'run', 'endless.dae', '--json', '-o', 'a.csv', '--all-steps')
    equal(status, 130, err)
    d = json.loads(out)
    equal(d['status'], 'interrupted')
    equal(d['diagnostics'][-1]['code'], 'E0005')
    with open('a.csv') as file:
        rows = [[float(cell) for cell in line.split(',')]
                for line in file.read().splitlines()[1:]]
    equal(rows[-1], [d['t'], d['values']['x'], d['values']['v']])
    equal(len(rows), d['stats']['steps'] + 1)
    near(rows[-1][1] ** 2 + rows[-1][2] ** 2, 1, 1e-2, 'energy')


def test_text():
    write('endless.dae', ENDLESS)
    status, out, err = interrupted(
        'run', 'endless.dae', '-o', 'a.csv', '--all-steps')
    equal(status, 130, err)
    contains(err, 'E0005')
    contains(out, 'a.csv: ')


main(globals())
