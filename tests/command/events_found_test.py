"""Events are found once each, wherever they are: two a millionth apart, three
inside a step, at the start and at the end, at a thousand random places; and what
they cost in steps."""

import math
import os
import random

from support import ROOT, contains, dae, equal, main, near, write

OSCILLATOR = '''var x = 0, v = 1
x' = v
v' = -x
'''


def run_text(text, *words, status=0):
    write('m.dae', text)
    return dae('run', 'm.dae', '--json', '--no-times', *words, status=status).json


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
    for _ in range(10):
        check_counts([rng.uniform(1e-3, 0.999) for _ in range(100)])


def test_two_a_millionth_apart():
    rng = random.Random(2)
    for _ in range(10):
        pairs = [rng.uniform(1e-3, 0.9) for _ in range(25)]
        check_counts([a + d for a in pairs for d in (0, 1e-6)])


# x = t, so that steps are as long as they may be. Between its zeros g is 0.4 d^3, of
# values up to 500 in a step: below d = 1e-4 it drowns in their rounding.
def test_three_inside_a_step():
    rng = random.Random(3)
    for _ in range(50):
        a = rng.uniform(0.5, 8)
        d = 10**rng.uniform(-3, -1)
        document = run_text(
            f"param a = {a!r}, d = {d!r}\nvar x = 0\ndiscrete ups = 0, downs = 0\n"
            "let g = (x - a)*(x - a - d)*(x - a - 2*d)\nx' = 1\n"
            'when g > 0\n  ups := ups + 1\nend\nwhen g < 0\n  downs := downs + 1\nend\n'
            'solve t in 0..10\n')
        found = [document['values'][n] for n in ('ups', 'downs')]
        equal(found, [2, 1], f'a = {a!r}, d = {d!r}')


def test_at_the_start_and_at_the_end():
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


def steps(text, end, rtol=1e-6):
    document = run_text(text + f'solve t in 0..{end!r}, rtol = {rtol!r}, '
                        f'atol = {rtol/100!r}\n')
    return document['stats']['steps'], document['stats']['events']


def check_cost(with_events, without, end, least, ratio, rtol=1e-6):
    found, events = steps(with_events, end, rtol)
    plain, none = steps(without, end, rtol)
    equal(none, 0)
    equal(events >= least, True, f'{events} events')
    equal(found <= ratio*plain, True, f'{found} steps, {plain} without events')


def test_a_hundred_switches_without_jumps():
    end = 100.5*math.pi
    check_cost(OSCILLATOR + 'discrete n = 0\nwhen x > 0\n  n := n + 1\nend\n',
               OSCILLATOR, end, 50, 1.5)
    check_cost(OSCILLATOR + "var q = 0\nq' = abs(x)\n",
               OSCILLATOR + "var q = 0\nq' = x\n", end, 100, 1.5)


# In the force itself, in what is forced by it, and in what hides its oscillation.
def test_a_hundred_kinks_of_an_oscillation():
    end = 100.5*math.pi
    stiffer = OSCILLATOR.replace('-x', '-x - (if x > 0 then 0.2*x else 0)')
    for rtol in 1e-4, 1e-6, 1e-9:
        check_cost(stiffer, OSCILLATOR, end, 100, 1.5, rtol)
    for force, same in [('max(x, 0.3) - q', 'x - q'),
                        ('(if v > 0 then v^2 else 0) - q/10', 'v^2 - q/10')]:
        check_cost(OSCILLATOR + f"var q = 0\nq' = {force}\n",
                   OSCILLATOR + f"var q = 0\nq' = {same}\n", end, 100, 1.5, 1e-8)


def test_a_hundred_jumps():
    kick = 'when x > 0\n  v := 1.001*v\nend\nwhen x < 0\n  v := v/1.001\nend\n'
    check_cost(OSCILLATOR + kick, OSCILLATOR, 100.5*math.pi, 100, 5)


def verdict(text, code, *parts):
    write('m.dae', text)
    result = dae('run', 'm.dae', status=4)
    contains(result.err, code)
    for part in parts:
        contains(result.err, part)


def test_a_ball_that_comes_to_rest():
    verdict("var h = 1, v = 0\nh' = v\nv' = -9.81\n"
            'bounce: when h < 0\n  v := -0.8*v\nend\nsolve t in 0..5\n',
            'E0520', '4.0637')


def test_a_relay_without_hysteresis():
    verdict("var x = 1, v = 0\nx' = v\nv' = -2*sign(x + v)\nsolve t in 0..10\n",
            'E0521', 'x + v', '0.41421356', '`x + v` changes by 1.172 per unit',
            'by -2.828 where', 'slides along `x + v = 0`')


# x' = up below the line and down above it, which rises itself.
def test_both_sides_of_a_relay():
    for condition, edge, way in [
            ('x > y', 'x - y', 1), ('x >= y', 'x - y', 1), ('x < y', 'x - y', -1),
            ('x <= y', 'x - y', -1), ('y < x', 'y - x', 1), ('y > x', 'y - x', -1),
            ('x - y > 0', 'x - y', 1), ('0.1 < x - y + 0.1', '0.1 - (x - y + 0.1)', 1)]:
        for up, down, slope in [(5, -1, 0.1), (0.5, -6, -0.25)]:
            sides = (down, up) if way > 0 else (up, down)
            below, above = up - slope, down - slope
            if not edge.startswith('x'):
                below, above = -above, -below
            verdict(f'var x = 0.3, y = 0.01\nx\' = if {condition} then {sides[0]} else '
                    f"{sides[1]}\ny' = {slope}\nsolve t in 0..2\n", 'E0521',
                    f'`{edge}` changes by {below:.4g} per unit of time where it is '
                    f'below 0 and by {above:.4g} where', f'slides along `{edge} = 0`')


def test_relays_of_two_whens():
    """Each assigns what turns the other at once: x = 1 is where it slides."""
    for other in ('x <= 1', 'x < 1'):
        verdict("var x = 0\ndiscrete u = 1\nx' = u\n"
                'when x > 1\n  u := -1\nend\n'
                f'when {other}\n  u := 1\nend\nsolve t in 0..5\n',
                'E0521', 'x > 1', 'changes by 1 per unit of time where it is below 0 and by -1',
                f'when {other}')


def test_swings_that_friction_makes_ever_shorter():
    """v falls by exp(-0.1 t), swings last 2 v: their sum has no end, nor have they;
    where x stays within its tolerance they are as good as none."""
    for rtol in ('1e-4', '1e-6'):
        verdict("var x = 1, v = 0\nx' = v\nv' = -sign(x) - 0.3*v\n"
                f'solve t in 0..1000, rtol = {rtol}, atol = {rtol}\n',
                'E0521', '`sign(x)` chatters', 'within what tolerances make of it')


def test_small_swings_that_last():
    """A relay with less between its thresholds than tolerances: it gets no shorter."""
    # 2000 turns, 2e-8 apart
    write('m.dae', "var x = 0\ndiscrete u = 1\nx' = u\n"
          'when x > 1e-8\n  u := -1\nend\nwhen x < -1e-8\n  u := 1\nend\n'
          'solve t in 0..4e-5, rtol = 1e-6, atol = 1e-6\n')
    document = dae('run', 'm.dae', '--json', '--no-times', status=0).json
    near(document['values']['x'], 0, 1e-6)
    near(len([e for e in document['events'] if e['kind'] == 'when']), 2000, 100)


def test_what_does_not_rest_says_what_to_do():
    """A diode that conducts by u - v = 0: `u > v` rests where the index is reduced."""
    model = os.path.join(ROOT, 'models/circuits/half_wave_rectifier_modes.dae')
    dae('run', model, status=0)
    for way in ('stabilize', 'never'):
        contains(dae('run', model, '--reduce', way, status=4).err,
                 'leave `reduce` at `auto`')


main(globals())
