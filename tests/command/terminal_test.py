"""What is different on a terminal: pictures, colours, progress."""

import os
import pty
import subprocess
import sys

from support import DAE, DECAY, ENDLESS, contains, dae, equal, main, write


def on_terminal(*words, stream='stdout', **more):
    """Runs dae with one stream on a terminal; what that one got."""
    ours, theirs = pty.openpty()
    streams = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
    streams[stream] = theirs
    environment = {k: v for k, v in os.environ.items() if k != 'NO_COLOR'}
    environment.update(more)
    process = subprocess.Popen([DAE, *words], env=environment, **streams)
    os.close(theirs)
    text = b''
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    process.wait(timeout=20)
    return text.decode().replace('\r\n', '\n')


def test_pictures():
    write('decay.dae', DECAY + 'plot x, y\nplot y over x\n')
    out = on_terminal('run', 'decay.dae')
    contains(out, '\n  * x (m)  + y\n')
    contains(out, '\n  * y\n')
    rows = [line[15:] for line in out.split('\n') if line[14:15] == '|']
    equal(len(rows), 30)
    # x begins at the top left and falls, y begins at the bottom left
    equal(rows[0][0], '*')
    equal(rows[14][0], '+')
    # y over x is a straight line that falls
    equal([len(row.rstrip()) for row in rows[15:]],
          sorted([len(row.rstrip()) for row in rows[15:]]))
    equal('|' in dae('run', 'decay.dae', status=0).out, False)
    equal('|' in on_terminal('run', 'decay.dae', '--json'), False)


def test_a_circle_is_round():
    """A row is as high as two columns are wide: 14 rows up are 28 columns."""
    write('m.dae', "var x = 1, y = 0\nx' = -y\ny' = x\nsolve t in 0..7\n"
          'plot y over x\nplot y\n')
    rows = [line[15:] for line in on_terminal('run', 'm.dae').split('\n')
            if line[14:15] == '|']
    equal(max(len(row.rstrip()) for row in rows[:15]), 29)
    middle = [row.rstrip() for row in rows[6:9]]
    equal(middle, ['*' + 27*' ' + '*']*3)
    equal(max(len(row.rstrip()) for row in rows[15:]), 64)


def test_colours():
    write('wrong.dae', "var x = 1\nx' = -z\n")
    words = ['run', 'wrong.dae']
    contains(on_terminal(*words, stream='stderr'), '\033[1;31merror')
    equal('\033' in on_terminal(*words, stream='stderr', NO_COLOR='1'), False)
    equal('\033' in on_terminal(*words, '--color', 'never',
                                stream='stderr'), False)
    equal('\033' in on_terminal(*words, stream='stderr', TERM='dumb'), False)
    equal('\033' in dae(*words).err, False)
    contains(dae(*words, '--color', 'always').err, '\033[1;31merror')


def test_progress():
    write('endless.dae', ENDLESS)
    words = ['run', 'endless.dae', '--time-limit']
    err = on_terminal(*words, '0.5', '--progress', 'always', stream='stderr')
    contains(err, 't = ')
    contains(err, 'steps')
    # the line is wiped at the end, before the message
    contains(err, '\r\033[K\033[1;31merror[E0004]')
    equal('steps,' in on_terminal(*words, '0.5', stream='stderr'), False,
          'a run of less than two seconds')
    contains(on_terminal(*words, '2.6', stream='stderr'), 'steps,')
    equal('steps,' in dae(*words, '2.6', '--quiet').err, False)


def test_time_left():
    """A million steps: enough of them are left when a fiftieth is done."""
    write('steps.dae', "var x = 1\nx' = -x\nsolve t in 0..100\n")
    words = ['run', 'steps.dae', '--max-step', '1e-4', '--progress', 'always']
    err = on_terminal(*words, '--time-limit', '20', stream='stderr')
    contains(err, ' s left')


def test_a_plot_that_is_asked_for():
    write('decay.dae', DECAY)
    equal('|' in on_terminal('run', 'decay.dae'), False)
    contains(on_terminal('run', 'decay.dae', '--plot', 'total,x'), '\n  * total  + x (m)\n')


def has_terminals():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


if not has_terminals():  # a chroot without /dev/pts, say
    print('this system has no pseudo-terminals: nothing here can be tried')
    sys.exit(0)
main(globals())
