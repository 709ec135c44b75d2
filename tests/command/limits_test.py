"""Limits and Ctrl-C while a model is compiled: no step has been taken then."""

import json
import signal
import subprocess
import time

from support import DAE, contains, dae, equal, main, write

# a loop that makes nothing of very many turns
LONG = '''var x = 1
x' = -x
for i in 1..20000, j in 1..20000 where i + j < 0
  x = i
end
solve t in 0..1
'''


def test_time_limit():
    write('long.dae', LONG)
    begun = time.monotonic()
    err = dae('run', 'long.dae', '--time-limit', '0.3', status=6).err
    equal(time.monotonic() - begun < 5, True, 'ended in time')
    contains(err, 'E0004')
    contains(err, 'the time limit of 0.3 s was reached')
    equal('E0005' in err, False)
    d = dae('init', 'long.dae', '--time-limit', '0.3', '--json', status=6).json
    equal(d['status'], 'limit')
    equal([m['code'] for m in d['diagnostics']], ['E0004'])


def interrupt(*words):
    process = subprocess.Popen([DAE, *words], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    return process.returncode, out.decode(), err.decode()


def test_interrupt():
    write('long.dae', LONG)
    status, out, err = interrupt('run', 'long.dae')
    equal(status, 130, err)
    contains(err, 'E0005')
    status, out, err = interrupt('run', 'long.dae', '--json')
    equal(status, 130, err)
    d = json.loads(out)
    equal(d['status'], 'interrupted')
    equal([m['code'] for m in d['diagnostics']], ['E0005'])


main(globals())
