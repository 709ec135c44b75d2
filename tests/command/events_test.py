"""What is done where something turns, on models whose events are known in closed
form: none missed and none twice, in one round what belongs to one instant, values
behind it that satisfy the equations, verdicts where there is nothing behind it."""

import math
import random

from support import contains, dae, equal, main, near, write

BALL = '''var h = 5, v = 0
h' = v
v' = -10
bounce: when h < 0
  v := -v/2
end
solve t in 0..2.6
'''

# x = sin t passes sin p and sin(p + 1e-6), and comes to either end six times
PHASE = '''param p = 0
var x = 0, v = 1
discrete a = 0, b = 0, c = 0
x' = v
v' = -x
when x > sin(p)
  a := a + 1
end
when x > sin(p + 1e-6)
  b := b + 1
end
when x*x > 0.99
  c := c + 1
end
solve t in 0..20
'''

WALL = '''var x = 1, y = 0, F
init x' = 0
x'' = -F*x
y'' = -F*y - 10
rod: x^2 + y^2 = 1
hit: when x < 0.6
  x' := -x'/2
end
solve t in 0..1
'''

STICK = '''var x = 0, v ~ 0.1, F
discrete sticks = 1
x' = v
v' = -10*x + F
0 = if sticks == 1 then v - 0.1 else F - 0.6
slip: when sticks == 1 and F > 1
  sticks := 0
end
stick: when sticks == 0 and v > 0.1
  sticks := 1
  v := 0.1
end
solve t in 0..5, rtol = 1e-9, atol = 1e-11
'''


def run(text, *words, status=0):
    write('m.dae', text)
    return dae('run', 'm.dae', '--json', '--no-times', *words,
               status=status).json


def times(document, label):
    return [e['t'] for e in document['events'] if e['label'] == label]


def test_bounces():
    document = run(BALL, '--rtol', '1e-10', '--atol', '1e-10')
    for found, wanted in zip(times(document, 'bounce'), [1, 2, 2.5]):
        near(found, wanted, 1e-9)
    equal(len(document['events']), 3)
    near(document['values']['h'], 0.125 - 0.05, 1e-9, 'h')
    near(document['values']['v'], 0.25, 1e-9, 'v')


def test_methods_at_given_steps():
    for method in ['rk4', 'trapezoid', 'ndf', 'bdf-flc']:
        document = run(BALL, '--method', method, '--step', '0.1')
        for found, wanted in zip(times(document, 'bounce'), [1, 2, 2.5]):
            near(found, wanted, 1e-9, method)
        near(document['values']['v'], 0.25, 1e-9, method)


def test_none_missed_and_none_twice():
    chance = random.Random(5)
    for _ in range(40):
        p = chance.uniform(-1.2, 1.2)
        rtol = chance.choice(['1e-5', '1e-7', '1e-9'])
        values = run(PHASE, '--set', f'p={p!r}', '--rtol', rtol)['values']
        crossings = sum(0 < q + 2*math.pi*k < 20
                        for k in range(-1, 4) for q in [p])
        equal((values['a'], values['b']), (crossings, crossings), (p, rtol))
        equal(values['c'], 6, (p, rtol))


def test_outputs_change_nothing():
    for text in [BALL, WALL, STICK]:
        values = [run(text, '--points', str(n))['values']
                  for n in [10, 500, 100000]]
        equal(values[0], values[1])
        equal(values[0], values[2])


def test_start_and_end():
    text = '''var x = 0
discrete n = 0
x' = 1
first: when x > 0
  n := n + 1
end
never: when x >= 0
  n := n + 100
end
last: when t >= 2
  n := n + 10
end
solve t in 0..2
'''
    document = run(text)
    equal(document['values']['n'], 11)
    equal(times(document, 'first'), [0])
    equal(times(document, 'never'), [])
    equal(times(document, 'last'), [2])


def test_true_of_the_start_alone():
    text = '''var x = 0
discrete n = 0
x' = cos(t)
when x <= 0
  n := n + 1
end
solve t in 0..14
'''
    # x = sin t is 0 at the start and rises: false from there to pi, and to 3 pi
    document = run(text)
    equal(document['values']['n'], 2)


def test_two_clocks_turn_at_once():
    text = '''discrete a = 0, b = 0
var x = 0
x' = 1
when mod(t, 0.3) < 0.1
  a := a + 1
end
when mod(t, 0.6) < 0.1
  b := a
end
solve t in 0..1.3
'''
    # at 0.6 and 1.2 right sides see the value before: 1 and 3
    document = run(text)
    equal(document['values']['a'], 4)
    equal(document['values']['b'], 3)


def test_constraints_hold_behind_an_assignment():
    document = run(WALL, '--rtol', '1e-9', '--atol', '1e-11')
    hit = document['events'][0]
    equal(hit['label'], 'hit')
    # falls by 0.8: v^2/2 = 8, along the circle at x = 0.6, y = -0.8
    near(hit['before']["x'"], -4*0.8, 1e-7)
    near(hit['after']["x'"], 2*0.8, 1e-7)
    near(hit['after']["y'"], 2*0.6, 1e-7)
    values, slopes = document['values'], document['derivatives']
    near(values['x']**2 + values['y']**2, 1, 1e-8)
    near(values['x']*slopes["x'"] + values['y']*slopes["y'"], 0, 1e-7)


def test_modes_of_different_index():
    write('m.dae', STICK)
    contains(dae('run', 'm.dae', status=0).err, 'N0526')
    result = dae('run', 'm.dae', '--json', '--no-times', status=0)
    w = math.sqrt(10)
    slip = 2*(math.pi - math.atan2(0.04*w, 0.1))/w
    # sticks from x = 0.02 to 0.1 at speed 0.1
    near(times(result.json, 'slip')[0], 1, 1e-8)
    near(times(result.json, 'stick')[0], 1 + slip, 1e-8)
    near(times(result.json, 'slip')[1], 1 + slip + 0.8, 1e-8)
    near(times(result.json, 'stick')[1], 1 + 2*slip + 0.8, 1e-8)


def test_rest_is_told():
    write('m.dae', BALL.replace('2.6', '9'))
    result = dae('run', 'm.dae', status=4)
    contains(result.err, 'E0520')
    contains(result.err, 't = 3')
    write('m.dae', BALL.replace('2.6', '9').replace(
        'v := -v/2', 'v := -v/2\nend\nwhen h < 0 and abs(v) < 1e-3\n'
        '  stop "at rest"'))
    equal('E0520' in dae('run', 'm.dae').err, False)


def test_verdicts():
    relay = 'var x = 1\nx\' = if x > 0 then -1 else 1\nsolve t in 0..2\n'
    rounds = ('var x = 1\ndiscrete n = 0\nx\' = -1\nwhen x < 0\n  n := 1\nend\n'
              'when n == 1\n  n := 2\nend\nwhen n == 2\n  n := 1\nend\n'
              'solve t in 0..2\n')
    clash = ('var x = 1\ndiscrete n = 0\nx\' = -1\nwhen x < 0\n  n := 1\nend\n'
             'when 2*x < 0\n  n := 2\nend\nsolve t in 0..2\n')
    against = WALL.replace("x' := -x'/2", 'x := 2')
    for text, code in [(relay, 'E0521'), (rounds, 'E0522'), (clash, 'E0523'),
                       (against, 'E0525')]:
        write('m.dae', text)
        contains(dae('run', 'm.dae').err, code)


def test_a_stop_ends_what_would_chatter():
    """Dry friction has stopped the block: behind it the friction turns for ever."""
    write('m.dae', "var x = 0, v = 1\nx' = v\nv' = -0.5*sign(v)\n"
          'rests: when v <= 0\n  stop "at rest"\nend\n'
          'solve t in 0..10, rtol = 1e-9\n')
    document = dae('run', 'm.dae', '--json', '--no-times', status=0).json
    equal(document['status'], 'stopped')
    near(document['t'], 2, 1e-9, 't')
    near(document['values']['x'], 1, 1e-9, 'x')
    equal([e['label'] for e in document['events'] if e['kind'] == 'when'],
          ['rests'])


def test_slopes_and_algebraic_values_turn_once():
    """v = cos t, y = 3v: dense output knows x' and y less well than the equations."""
    for rtol in ('1e-3', '1e-4', '1e-6', '1e-8', '1e-10'):
        for what, instant in ("x' < 0", math.pi/2), ('y < 1.5', math.pi/3), \
                ("v' < -0.5", math.pi/6):
            write('m.dae', "var x = 0, v = 1, y\ndiscrete n = 0\nx' = v\nv' = -x\n"
                  f'y = 3*v\nfound: when {what}\n  n := n + 1\nend\n'
                  'solve t in 0..3\n')
            document = dae('run', 'm.dae', '--json', '--no-times', '--rtol', rtol,
                           '--atol', rtol, status=0).json
            equal(document['values']['n'], 1, f'{what} at {rtol}')
            near([e for e in document['events'] if e['kind'] == 'when'][0]['t'],
                 instant, 100*float(rtol), f'{what} at {rtol}')


LANDS = """var h = 1, v = 0%s
discrete n = 0
h' = v
v' = -9.81
%s
bounce: when h < 0
  v := -0.8*v
end
slow: when %s < 1
  n := n + 1
end
solve t in 0..0.5
"""


# Its speed jumps from -4.43 to 3.54, so it is never below 1 behind the bounce, by
# whatever the condition looks through.
def test_conditions_that_look_through_others_at_a_jump():
    for variables, equation, speed in [
            ('', '', 'abs(v)'), ('', '', 'max(v, -v)'),
            ('', '', '(if v > 0 then v else -v)'),
            (', z ~ 4', 'z = max(v, -v)', 'z'),
            (', z ~ 4, w ~ 4', 'z = abs(v)\nw = min(z, 9)', 'w')]:
        write('m.dae', LANDS % (variables, equation, speed))
        document = dae('run', 'm.dae', '--json', status=0).json
        equal(document['values']['n'], 0, speed)
        equal([e['t'] for e in document['events'] if e['label'] == 'slow'], [],
              speed)
        here = [e for e in document['events'] if e['t'] > 0.4]
        equal([e['label'] for e in here if e['kind'] == 'when'], ['bounce'], speed)
        equal([e for e in here if '< 1' in (e['label'] or '')], [], speed)


# What it assigns moves it off its edge by less than a tolerance of what it counts.
def test_an_odometer_of_a_large_place():
    for model, n in [
            ("var p = 0\ndiscrete n = 0\np' = 1000\nwhen p > 1 + n\n  n := n + 1\nend\n"
             'solve t in 0..0.9995, rtol = 1e-3\n', 999),
            ("var p = 1e6\ndiscrete n = 0, next = 1000001\np' = 10\nwhen p > next\n"
             '  next := next + 1\n  n := n + 1\nend\nsolve t in 0..9.95\n', 99),
            ("var p = 1e6\ndiscrete n = 0\np' = 10\nwhen p > 1000001\n  p := p - 1\n"
             '  n := n + 1\nend\nsolve t in 0..9.95\n', 99)]:
        for rtol in 1e-3, 1e-6, 1e-9:
            write('m.dae', model)
            document = dae('run', 'm.dae', '--json', '--rtol', str(rtol),
                           status=0).json
            equal(document['values']['n'], n, model)
            equal([d for d in document.get('diagnostics', [])
                   if d['code'] == 'W0528'], [], model)


# By 3.1 past three whole numbers: the remainder is 0.3 before and behind it.
def test_a_remainder_at_a_jump():
    write('m.dae', "var y = 0\ndiscrete n = 0\ny' = 0.2\n"
          'when t > 1\n  y := 3.3\nend\nwhen mod(y, 1) > 0.9\n  n := n + 1\nend\n'
          'solve t in 0..2\n')
    document = dae('run', 'm.dae', '--json', status=0).json
    near(document['values']['y'], 3.5, 1e-9, 'y')
    equal(document['values']['n'], 0)


def test_a_slope_without_bound():
    """q*abs(q) = cos t: q goes with the root of t at pi/2, 1.5e-8 in the last place of
    t. The integral of q is that of 2*s*sqrt(sin(s^2)), t = pi/2 -+ s^2, by Simpson's
    rule."""
    text = "var q ~ 1, p = 0\nQ\np' = q\nsolve t in 0..3\n"
    for rtol in ('1e-4', '1e-6', '1e-9', '1e-12'):
        values = run(text.replace('Q', 'q*abs(q) = cos(t)'),
                     '--rtol', rtol, '--atol', rtol)['values']
        near(values['p'], 0.141355974698, 100*float(rtol) + 1e-12)
        near(values['q'], -math.sqrt(-math.cos(3)), 10*float(rtol))
    for rtol in ('1e-4', '1e-6', '1e-9', '1e-12'):
        values = run(text.replace('Q', 'q = sign(cos(t))*sqrt(abs(cos(t)))'),
                     '--rtol', rtol, '--atol', rtol)['values']
        near(values['p'], 0.141355974698, 30*float(rtol) + 1e-12)
    for rtol in ('1e-4', '1e-6', '1e-9'):
        write('m.dae', text.replace('Q', 'q = cos(t)/sqrt(abs(cos(t)) + 1e-6)'))
        values = dae('run', 'm.dae', '--rtol', rtol, '--atol', rtol, '--json',
                     '--no-times', status=0).json['values']
        near(values['q'], math.cos(3)/math.sqrt(-math.cos(3) + 1e-6),
             10*float(rtol))


def test_what_comes_to_its_threshold_at_the_end_has_come():
    """y is 1.5 at t = 2 but for its last bits, and no step follows."""
    text = """var y = 0.1
discrete n = 0
y' = 0.7
when y >= 1.5
  n := n + 1
end
solve t in 0..2
"""
    for rtol in ('1e-3', '1e-5', '1e-7', '1e-9'):
        equal(run(text, '--rtol', rtol)['values']['n'], 1, rtol)


# What is looked at, of states that move; the condition is never true, or never
# turns true. Each counts in a variable of its own.
NEVER = [
    ("var x = 1.25\nx' = -1\n", [
        'abs(x) < 0', 'abs(abs(x)) < 0', 'abs(x) >= 0', 'max(x, 0) >= 0',
        'max(x, -0.3) > -1', 'x - floor(x) >= 0', 'x - floor(x) < 1',
        'min(abs(x), abs(x + 0.5)) < 0']),
    ("var x = 0\nx' = 1\n", [
        'abs(sin(2*x)) < 0', 'mod(x, 1) < 0', 'x - floor(x) >= 1',
        'ceil(x) - x < 0', 'sign(x - 1) > 1', 'abs(x - 1.5) < -1e-12',
        '(if x > 1 then 0 else x) > 1']),
    ("var x = 0, v = 1\nx' = v\nv' = -x\nlet u = min(x, 0.5)\n", [
        'abs(v) < 0', 'u > 0.5', 'min(x, v) > max(x, v)', 'v > max(x, v)']),
    ("var x = 1, y\nx' = -1\ny = abs(x)\n", ['y < 0']),
    ("var x = 0, z\nx' = 1\nz = if x > 1 then 0 else x\n", ['z > 1']),
    ("var h = 1\nlet meter = max(h, 0.3)\nh' = -0.7*h\n", ['meter < 0.3']),
]


def test_what_is_touched_alone():
    for text, conditions in NEVER:
        for k, condition in enumerate(conditions):
            text += (f'discrete n{k} = 0\nwhen {condition}\n'
                     f'  n{k} := n{k} + 1\nend\n')
        for rtol in '1e-3', '1e-6', '1e-10':
            values = run(text + 'solve t in 0..2.2\n', '--rtol', rtol,
                         '--atol', rtol)['values']
            for k, condition in enumerate(conditions):
                equal(values[f'n{k}'], 0, condition)


# x = 1 - t: each of these is true from t = 1 on, x = 0 there, whatever turns inside.
THROUGH = ['x + 0.5*abs(x) < 0', 'max(x, 0) + min(x, 0) < 0', 'x*abs(x) < 0',
           'abs(x) - 2*x > 0', 'max(x, 0) <= 0', 'abs(x) > x', 'x < min(x, 0) + x',
           'min(x, 0) < 0']


def test_what_passes_with_what_it_looks_through():
    text = "var x = 1\nx' = -1\n"
    for k, condition in enumerate(THROUGH):
        text += f'discrete n{k} = 0\nn{k}: when {condition}\n  n{k} := n{k} + 1\nend\n'
    document = run(text + 'solve t in 0..2.2\n', '--rtol', '1e-9', '--atol', '1e-9')
    for k, condition in enumerate(THROUGH):
        if condition == 'x < min(x, 0) + x':  # 0 < min(x, 0): never
            equal(document['values'][f'n{k}'], 0, condition)
            continue
        equal(document['values'][f'n{k}'], 1, condition)
        near(times(document, f'n{k}')[0], 1, 1e-8, condition)


# x = 2 sin t is above 1 from pi/6 to 5 pi/6, and 2 pi later again
def test_a_limit_that_is_reached():
    text = ("var x = 0, v = 2\nx' = v\nv' = -x\nlet u = min(x, 1)\n"
            'discrete n = 0, m = 0\nup: when u >= 1\n  n := n + 1\nend\n'
            'down: when u < 1\n  m := m + 1\nend\nsolve t in 0..10\n')
    document = run(text, '--rtol', '1e-9', '--atol', '1e-9')
    for label, first in ('up', math.pi/6), ('down', 5*math.pi/6):
        equal(len(times(document, label)), 2, label)
        for k, t in enumerate(times(document, label)):
            near(t, first + 2*math.pi*k, 1e-7, label)


# y is as far from 0 as rounding of x makes it, with a jump elsewhere at that place.
def test_what_is_touched_behind_a_jump():
    for text in (
            "var x = 1, y, w = 1\nx' = -1 - 0.5*abs(x)\n"
            "w' = if x < 0 then -1 else 1\ny^3 + y = abs(x)\n",
            "var x = 0, v = 1, y, w\nx' = v\nv' = -x\n"
            "w' = if v > 0 then 1 else -1\nexp(y) - 1 = abs(v)\n"):
        text += 'discrete n = 0\nwhen y < 0\n  n := n + 1\nend\nsolve t in 0..15\n'
        for rtol in '1e-4', '1e-6', '1e-9':
            values = run(text.replace('15', '2') if 'y^3' in text else text,
                         '--rtol', rtol, '--atol', rtol)['values']
            equal(values['n'], 0, text)


main(globals())
