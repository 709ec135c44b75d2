"""What events cost in steps, and which have no end: chattering, coming to rest.
phases_test.py has where they are found."""

import math
import os
from math import exp, log

from support import ROOT, contains, dae, equal, main, near, write

OSCILLATOR = '''var x = 0, v = 1
x' = v
v' = -x
'''


def run_text(text, *words, status=0):
    write('m.dae', text)
    return dae('run', 'm.dae', '--json', '--no-times', *words, status=status).json


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
    """A diode that conducts by u - v = 0: `u > v` rests where the index is reduced. With another way
    it turns in every step: bdf says so; radau does too, comes to the end, or to an instant at which
    rounding makes both whens true."""
    model = os.path.join(ROOT, 'models/circuits/half_wave_rectifier_modes.dae')
    rests = dae('run', model, '--json', '--no-times', status=0).json['values']['u']
    for way in ('stabilize', 'never'):
        for method in ('bdf', 'radau'):
            turns = dae('run', model, '--reduce', way, '--method', method, '--json', '--no-times')
            if method == 'radau' and turns.status == 0:
                near(turns.json['values']['u'], rests, 1e-6)
            else:
                equal(turns.status, 4)
                is_both = method == 'radau' and '"E0523"' in turns.out
                contains(turns.out, '0 by `off` and 1 by `on`' if is_both else 'leave `reduce` at `auto`')


def ideal_thermostat(end):
    """T at the end, and how often it is switched off: exponentials between 19 and 21."""
    t, T, on, offs = 0, 15, 1, 0
    while True:
        rest, goal = (30, 21) if on else (10, 19)
        dt = 10*log((rest - T)/(rest - goal))
        if t + dt > end:
            return rest + (T - rest)*exp((t - end)/10), offs
        t, T, on, offs = t + dt, goal, 1 - on, offs + on


def test_lags_that_are_over_at_once():
    """A thermostat whose heater or sensor lags: what is faster than tolerances makes no turn more,
    and hardly a difference."""
    expected, offs = ideal_thermostat(50)
    rest = 'discrete on = 1, n = 0\nwhen {0} > 21\n  on := 0\n  n := n + 1\nend\n' \
           'when {0} < 19\n  on := 1\nend\nsolve t in 0..50\n'
    heater = "var T = 15, q = 2\nT' = -0.1*(T - 10) + q\nq' = (2*on - q)/{}\n" + rest.format('T')
    sensor = "var T = 15, m = 15\nT' = -0.1*(T - 10) + 2*on\nm' = (T - m)/{}\n" + rest.format('m')
    for text in (heater, sensor):
        for lag in ('1e-5', '1e-7', '1e-9'):
            write('m.dae', text.format(lag))
            for rtol in (1e-4, 1e-5, 1e-6, 1e-7):
                values = dae('run', 'm.dae', '--json', '--rtol', str(rtol), status=0).json['values']
                equal(values['n'], offs, f'{lag} {rtol}')
                # 24 turns, each off by some tolerances and by the lag
                near(values['T'], expected, 24*20*rtol + 100*float(lag), f'{lag} {rtol}')


def test_what_turns_itself_round_with_a_lag():
    """y goes on for tau*log(2) behind 0.5, by less than tolerances, and then back: once."""
    for tau in ('1e-3', '1e-5', '1e-7', '1e-9'):
        write('m.dae', f"""var x = 1, y = 0
discrete s = 1, n = 0
x' = (s - x)/{tau}
y' = x
when y > 0.5
  s := -s
  n := n + 1
end
solve t in 0..1.5
""")
        for rtol in (1e-3, 1e-5, 1e-7):
            values = dae('run', 'm.dae', '--json', '--rtol', str(rtol), status=0).json['values']
            equal(values['n'], 1, f'{tau} {rtol}')
            near(values['y'], -0.5 + 2*float(tau), 10*rtol, f'{tau} {rtol}')


def test_a_diode_with_a_negligible_resistance():
    """What it takes of the voltage is no more than tolerances, and it blocks behind the peak: of
    C v' = i - v/R with i >= 0 that is where C s' + s/R = 0."""
    off = 0.04 + (math.pi - math.atan(10*math.pi))/(100*math.pi)
    expected = 10*math.sin(100*math.pi*off)*exp(-(0.0495 - off)/0.1)
    for i in ('if s > v then (s - v)/{0} else 0', 'max(s - v, 0)/{0}'):
        for R in (1e-3, 1e-4, 1e-5):
            write('m.dae', f"""var v = 0
let s = 10*sin(100*pi*t)
let i = {i.format(R)}
1e-3*v' = i - v/100
solve t in 0..0.0495
""")
            for rtol in (1e-6, 1e-7):
                values = dae('run', 'm.dae', '--json', '--rtol', str(rtol), status=0).json['values']
                near(values['v'], expected, 1000*rtol + 3*R, f'{i} {R} {rtol}')


def test_a_discharge_between_two_thresholds():
    """A ramp that a small resistance ends: each cycle takes 0.9 and 2.3 R."""
    for R in (1e-3, 1e-5, 1e-7):
        write('m.dae', f"""var v = 0
discrete on = 0
v' = 1 - on*v/{R}
when v > 1
  on := 1
end
when v < 0.1
  on := 0
end
solve t in 0..7.1
""")
        # v' = 1 - v/R from 1 to 0.1
        fall = -R*log((0.1 - R)/(1 - R))
        t = 1 + 6*(fall + 0.9) + fall
        for rtol in (1e-3, 1e-5, 1e-7):
            values = dae('run', 'm.dae', '--json', '--rtol', str(rtol), status=0).json['values']
            near(values['v'], 0.1 + 7.1 - t, 30*rtol, f'{R} {rtol}')


main(globals())
