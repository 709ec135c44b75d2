"""What the tests of the command share: a folder of their own, a way to run
`dae` in it, and checks that name what failed. Each test file is called with
the path of `dae` and the root of the sources."""

import json
import os
import subprocess
import sys
import tempfile
import traceback

DAE = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(sys.argv[2])
# one of so many repetitions, and one of so many tests: tools/test
SHARE = int(os.environ.get('DAE_TEST_SHARE', '1'))
EVERY = int(os.environ.get('DAE_TEST_EVERY', '1'))
# given to runs that ask for no method, steps or order: tests/CMakeLists.txt
METHOD = os.environ.get('DAE_TEST_METHOD')
OWN = ('--method', '--step', '--order')

# x = exp(-k t) and its complement: the values are known in closed form
DECAY = '''"Decay"
param k = 2
var x = 1 {m}, y ~ 0
let r = k*x
x' = -r
rest: y = 1 - x
output total = x + y
solve t in 0..1, rtol = 1e-8, atol = 1e-10
'''

# a harmonic oscillator that takes hours
ENDLESS = '''var x = 1, v = 0
x' = v
v' = -x
solve t in 0..1e9, rtol = 1e-9, atol = 1e-12
'''


def is_watched():
    """By sanitizers, which take time and memory of their own."""
    with open(DAE, 'rb') as file:
        return b'__asan_init' in file.read()


class Result:
    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout.decode()
        self.err = process.stderr.decode()

    @property
    def json(self):
        return json.loads(self.out)


def write(name, text):
    with open(name, 'wb') as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return name


calls = 0


def environment():
    """Looking for leaks takes a sanitized process as long as all the rest, and
    guards between its constants as long as that again: of a share of the tests one
    process in eight does both, the first one among them. (That every block is freed
    is counted by the tests of memory, too.)"""
    global calls
    calls += 1
    if SHARE == 1 or calls % 8 == 1:
        return None
    options = os.environ.get('ASAN_OPTIONS', '')
    return dict(os.environ,
                ASAN_OPTIONS=f'{options}:detect_leaks=0:report_globals=0')


def dae(*words, stdin=b'', status=None):
    if isinstance(stdin, str):
        stdin = stdin.encode()
    if METHOD and words[0] in ('run', 'test') and not set(OWN) & set(words):
        words = (*words, '--method', METHOD)
    process = subprocess.run([DAE, *words], input=stdin, timeout=300,
                             env=environment(),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    result = Result(process)
    if status is not None and result.status != status:
        raise AssertionError(
            f'`dae {" ".join(words)}` exits with {result.status}, not '
            f'{status}\n{result.out[:2000]}\n{result.err[:2000]}')
    return result


def equal(value, expected, what=''):
    if value != expected:
        raise AssertionError(f'{what}\n  is       {value!r}'
                             f'\n  expected {expected!r}')


def near(value, expected, tolerance, what=''):
    if not abs(value - expected) <= tolerance:
        raise AssertionError(
            f'{what} is {value!r}, expected {expected!r} +- {tolerance}')


def contains(text, part):
    if part not in text:
        raise AssertionError(f'no {part!r} in\n{text[:2000]}')


def mechanics(name):
    """The text of a model of models/mechanics."""
    with open(os.path.join(ROOT, f'models/mechanics/{name}.dae'),
              encoding='utf-8') as file:
        return file.read()


def run_steps(text, method, h, *words):
    """The document of a run at steps of one length; steps this coarse need not hold
    what a model expects."""
    write('m.dae', text)
    result = dae('run', 'm.dae', '--json', '--no-times', '--method', method,
                 '--step', str(h), *words)
    if result.status not in (0, 1):
        raise AssertionError(f'{method}: exit {result.status}\n{result.err}')
    return result.json


# What a start does not do any more (docs/structure.md, "What this version gives
# up"): these fail, and one that does not fail leaves the list.
OWED = {
    'test_no_start_with_values_that_rounding_makes',
}
# A tank with a bound comes to its bottom within its tolerance, but when it is exactly
# there no step tells that is long beside the last of the flow.
OWED |= {
    'radau': {
        'test_events_elsewhere_do_not_fill_a_tank',
        'test_a_tank_that_is_filled_smoothly',
        'test_a_pump_that_starts_when_a_tank_is_dry',
        'test_tanks_in_a_row',  # 2 of 80 runs at other tolerances
    },
}.get(METHOD, set())


def main(namespace):
    """Runs every function whose name begins with `test_`, or one of EVERY."""
    failed = 0
    tests = [name for name in namespace if name.startswith('test_')]
    for name in tests[::EVERY]:
        function = namespace[name]
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                function()
                if name in OWED and SHARE == 1:
                    failed += 1
                    print(f'FAILED {name}: it is not owed any more')
            except Exception:  # the next test shall run
                if name in OWED:
                    os.chdir('/')
                    continue
                failed += 1
                print(f'FAILED {name}')
                traceback.print_exc(file=sys.stdout)
            os.chdir('/')
    sys.exit(1 if failed else 0)
