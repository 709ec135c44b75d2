"""Events are found once each, whatever the phase in which they come: single ones, two
a millionth apart, three inside a step, at the start and at the end, each at a
thousand random places. Many go into one run: a `when` neither moves what is
integrated nor makes the formula begin anew. DAE_TEST_SHARE = n: an n-th of them."""

import math
import os
import random

from support import dae, equal, main, near, write

SHARE = int(os.environ.get('DAE_TEST_SHARE', '1'))
OSCILLATOR = '''var x = 0, v = 1
x' = v
v' = -x
'''


def runs(count):
    return max(1, count//SHARE)


def run_text(text):
    write('m.dae', text)
    return dae('run', 'm.dae', '--json', '--no-times', status=0).json


def numbers(values):
    return '[' + ', '.join(repr(v) for v in values) + ']'


def counted(thresholds, end):
    """sin t against thresholds: how often and when last it has risen above each."""
    n = len(thresholds)
    return (OSCILLATOR + f'param n = {n}, a[n] = {numbers(thresholds)}\n'
            'discrete ups[n] = 0, downs[n] = 0, last[n] = 0\n'
            'for k in 1..n\n'
            '  when x > a[k]\n    ups[k] := ups[k] + 1\n    last[k] := t\n  end\n'
            '  when x < a[k]\n    downs[k] := downs[k] + 1\n  end\n'
            f'end\nsolve t in 0..{end}, rtol = 1e-8, atol = 1e-10\n')


def check_counts(thresholds):
    """Two turns and a half; x = 0 at the start, so none of them is below 1e-3."""
    values = run_text(counted(thresholds, 5*math.pi))['values']
    for k, a in enumerate(thresholds, 1):
        equal((values[f'ups[{k}]'], values[f'downs[{k}]']), (3, 3), f'{a!r}')
        near(values[f'last[{k}]'], 4*math.pi + math.asin(a), 2e-6, f'{a!r}')


def test_a_thousand_places():
    rng = random.Random(1)
    for _ in range(runs(10)):
        check_counts([rng.uniform(1e-3, 0.999) for _ in range(100)])


def test_two_a_millionth_apart():
    rng = random.Random(2)
    for _ in range(runs(20)):
        pairs = [rng.uniform(1e-3, 0.9) for _ in range(50)]
        check_counts([a + d for a in pairs for d in (0, 1e-6)])


# x = t, in steps of 1/2. Between its zeros g is 0.4 d^3; of values up to 500 in a step,
# below d = 1e-4, it drowns in their rounding. So one run has one window of ten for each.
def triples(rng, n):
    a = [10*k + rng.uniform(0.5, 8) for k in range(n)]
    d = [10**rng.uniform(-3, -1) for _ in range(n)]
    return a, d, (
        f'param n = {n}, a[n] = {numbers(a)}, d[n] = {numbers(d)}\n'
        "var x = 0\ndiscrete ups[n] = 0, downs[n] = 0\nx' = 1\n"
        'for k in 1..n\n'
        '  when (x - a[k])*(x - a[k] - d[k])*(x - a[k] - 2*d[k]) > 0\n'
        '    ups[k] := ups[k] + 1\n  end\n'
        '  when (x - a[k])*(x - a[k] - d[k])*(x - a[k] - 2*d[k]) < 0\n'
        '    downs[k] := downs[k] + 1\n  end\nend\n'
        f'solve t in 0..{10*n}, max_step = 0.5\n')


def test_three_inside_a_step():
    rng = random.Random(3)
    for _ in range(runs(50)):
        a, d, text = triples(rng, 20)
        values = run_text(text)['values']
        for k in range(20):
            found = [values[f'{n}[{k + 1}]'] for n in ('ups', 'downs')]
            equal(found, [2, 1], f'a = {a[k]!r}, d = {d[k]!r}')


def phase_off_the_flat(rng):
    """Where the sine is flat it is back at once: within 1e-2 tolerances tell how often."""
    while True:
        p = rng.uniform(0, 2*math.pi)
        if abs(math.cos(p)) > 0.02:
            return p


# z = sin(t + p) begins at the very value that it is compared with: it leaves it
# upwards at once, or downwards; it is back after pi - 2 p, and after a turn.
def test_at_the_start():
    rng = random.Random(4)
    end = 6
    for _ in range(runs(20)):
        phases = [phase_off_the_flat(rng) for _ in range(50)]
        document = run_text(
            OSCILLATOR + f'param n = 50, s[n] = {numbers([math.sin(p) for p in phases])}, '
            f'c[n] = {numbers([math.cos(p) for p in phases])}\n'
            'discrete ups[n] = 0, downs[n] = 0, first[n] = -1\n'
            'for k in 1..n\n'
            '  when c[k]*x + s[k]*v > s[k]\n'
            '    ups[k] := ups[k] + 1\n    first[k] := t\n  end\n'
            '  when c[k]*x + s[k]*v < s[k]\n    downs[k] := downs[k] + 1\n  end\n'
            f'end\nsolve t in 0..{end}, rtol = 1e-8, atol = 1e-10\n')
        for k, p in enumerate(phases, 1):
            is_up = math.cos(p) > 0
            back = (math.pi - 2*p) % (2*math.pi)
            at_start, later = (1, int(back < end))
            expected = [at_start, later] if is_up else [later, at_start]
            values = document['values']
            equal([values[f'{n}[{k}]'] for n in ('ups', 'downs')], expected, f'{p!r}')
            if is_up:
                equal(values[f'first[{k}]'], 0, f'{p!r}')


# y = c t comes to c T at T, but for the last bits, where the run ends.
def test_at_the_end():
    rng = random.Random(5)
    for _ in range(runs(50)):
        end = rng.uniform(1, 10)
        rates = [rng.choice((-1, 1))*10**rng.uniform(-1, 1) for _ in range(20)]
        document = run_text(
            f'param n = 20, c[n] = {numbers(rates)}, e[n] = '
            f'{numbers([c*end for c in rates])}\nvar y[n] = 0\n'
            'discrete ends[n] = 0, when_c[n] = 0\n'
            "for k in 1..n\n  y[k]' = c[k]\nend\n"
            'for k in 1..n\n'
            '  when c[k]*y[k] >= c[k]*e[k]\n'
            '    ends[k] := ends[k] + 1\n    when_c[k] := t\n  end\nend\n'
            f'solve t in 0..{end!r}\n')
        for k, c in enumerate(rates, 1):
            equal(document['values'][f'ends[{k}]'], 1, f'to {end!r}, {c!r}')
            near(document['values'][f'when_c[{k}]'], end, 1e-13*end, f'{c!r}')


# What does not come to its edge, but for more than rounding, is no event at the end.
def test_not_at_the_end():
    rng = random.Random(6)
    for _ in range(runs(20)):
        end = rng.uniform(1, 10)
        document = run_text(
            f'param T = {end!r}\nvar y = 0, z = 0\ndiscrete short = 0, level = 0\n'
            "y' = 1\nz' = 2*(T - t)\n"
            'when y >= T*(1 + 1e-12)\n  short := short + 1\nend\n'
            'when z > T^2*(1 + 1e-12)\n  level := level + 1\nend\n'
            f'solve t in 0..{end!r}, rtol = 1e-9, atol = 1e-11\n')
        equal(document['values']['short'], 0, f'{end!r}')
        equal(document['events'], [], f'{end!r}')


def test_the_start_and_the_end_of_one_run():
    document = run_text(
        OSCILLATOR + 'discrete first = 0, last = 0, before = 0\n'
        'when x > 0\n  first := first + 1\nend\n'
        'when t >= 3\n  last := last + 1\nend\n'
        'when x >= 0\n  before := before + 1\nend\n'
        'solve t in 0..3\n')
    values = document['values']
    # `x >= 0` is true from the start on: it does not turn true
    equal([values[n] for n in ('first', 'last', 'before')], [1, 1, 0])
    equal([e['t'] for e in document['events']], [0, 3])


main(globals())
