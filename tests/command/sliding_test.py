"""`sliding = on`: where both sides of a sign or an `if` lead back, the run goes on along the
threshold. References are closed forms, with the instants between pieces found by bisection."""

import math
import os

from support import EVERY, ROOT, dae, equal, main, near, write

TOLERANCES = ['1e-3', '1e-4', '1e-5', '1e-6', '1e-7', '1e-8', '1e-9'][::EVERY]
# measured: below 20
BOUND = 60


def run(text, rtol, *words):
    write('m.dae', text)
    return dae('run', 'm.dae', '--json', '--rtol', rtol, '--atol', rtol, *words,
               status=0).json


def codes(document):
    return [d['code'] for d in document.get('diagnostics', [])]


def root(f, a, b):
    assert f(a)*f(b) < 0, (a, b)
    for _ in range(200):
        c = (a + b)/2
        if f(a)*f(c) <= 0:
            b = c
        else:
            a = c
    return (a + b)/2


# ---- a relay that slides, is left and comes back ----

RELAY = '''var x = 0.5
x' = -sign(x) + 1.5*sin(t)
output u = sign(x)
solve t in 0..10, sliding = on
'''


def relay():
    """x at 3, 4, 6, 6.8, 8 and 10; the instants of sliding."""
    first = root(lambda t: 0.5 - t + 1.5*(1 - math.cos(t)), 3, 3.8)
    left = math.pi + math.asin(1/1.5)  # 1.5 sin t = -1

    def below(t):
        return t - left - 1.5*(math.cos(t) - math.cos(left))
    second = root(below, 5, 7)
    left_again = 2*math.pi + math.asin(1/1.5)

    def above(t):
        return -(t - left_again) - 1.5*(math.cos(t) - math.cos(left_again))
    third = root(above, 8.5, 10)
    values = {3: 0.5 - 3 + 1.5*(1 - math.cos(3)), 3.6: 0, 5: below(5), 6: below(6),
              6.8: 0, 8: above(8), 10: 0}
    return values, [first, left, second, left_again, third]


def test_a_relay_slides_and_is_left():
    values, instants = relay()
    for rtol in TOLERANCES:
        bound = BOUND*float(rtol)
        for t, x in values.items():
            near(run(RELAY, rtol, '--to', str(t))['values']['x'], x, bound)
        document = run(RELAY, rtol)
        equal(len(document['events']), len(instants))
        for event, t in zip(document['events'], instants):
            near(event['t'], t, bound)
        near(document['outputs']['u'], 1.5*math.sin(10), bound)
        equal(codes(document), ['N0532', 'N0532'])


def test_the_events_say_which_side():
    events = run(RELAY, '1e-6')['events']
    equal([event['label'] for event in events],
          ['x > 0', 'x < 0', 'x < 0', 'x > 0', 'x > 0'])
    equal([event['before'][event['label']] for event in events], [1, 0, 1, 0, 1])
    equal([event['after'][event['label']] for event in events], [0, 1, 0, 1, 0])


def test_without_it_the_run_ends_there():
    write('m.dae', RELAY.replace(', sliding = on', ''))
    found = dae('run', 'm.dae', '--json', status=4).json
    equal(codes(found), ['E0521'])
    assert 'sliding = on' in found['diagnostics'][0]['notes'][-1]
    write('m.dae', RELAY.replace('on', 'of'))
    equal(codes(dae('run', 'm.dae', '--json', status=3).json), ['E0214'])


# ---- dry friction ----

OSCILLATOR = '''param mu = 0.5
var x = 3, v = 0
x' = v
v' = -x - mu*sign(v)
solve t in 0..20, sliding = on
'''


def test_an_oscillator_comes_to_rest_by_friction():
    """The centre of each half swing is +-0.5: 3, -2, 1, 0. The same equation without
    friction is off by 95 tolerances there."""
    for rtol in TOLERANCES:
        bound = 200*float(rtol)
        for t, x in ((math.pi, -2), (2*math.pi, 1), (3*math.pi + 0.01, 0), (20, 0)):
            near(run(OSCILLATOR, rtol, '--to', str(t))['values']['x'], x, bound)


def test_it_sticks_where_the_spring_is_weaker():
    """3.2, -2.2, 1.2, -0.2, where the spring pulls with 0.2."""
    text = OSCILLATOR.replace('x = 3', 'x = 3.2') + 'output f = mu*sign(v)\n'
    for rtol in TOLERANCES:
        found = run(text, rtol)
        near(found['values']['x'], -0.2, 200*float(rtol))
        near(found['outputs']['f'], 0.2, 200*float(rtol))


FORCED = '''param mu = 0.5, a = 0.8, w = 0.5
var v = 0.3
v' = -mu*sign(v) + a*sin(w*t)
solve t in 0..12, sliding = on
'''


def test_a_forced_block_sticks_and_slips():
    """Coulomb friction: v' = a sin(w t) -+ mu while it slips."""
    mu, a, w = 0.5, 0.8, 0.5

    def slip(v0, t0, sense):
        return lambda t: (v0 - sense*mu*(t - t0)
                          - a/w*(math.cos(w*t) - math.cos(w*t0)))
    sticks = root(slip(0.3, 0, 1), 0.5, 1.5)
    slips = math.asin(mu/a)/w
    stops = root(slip(0, slips, 1), 6, 9)
    back = (math.pi + math.asin(mu/a))/w
    assert sticks < slips < stops < back < 12
    found = {0.3: slip(0.3, 0, 1)(0.3), 1.1: 0, 3: slip(0, slips, 1)(3),
             5: slip(0, slips, 1)(5), 12: slip(0, back, -1)(12)}
    for rtol in TOLERANCES:
        for t, v in found.items():
            near(run(FORCED, rtol, '--to', str(t))['values']['v'], v, BOUND*float(rtol))


BODIES = '''param m1 = 1, m2 = 2, mu = 0.5
var v1 = 2, v2 = 0
m1*v1' = -mu*sign(v1 - v2)
m2*v2' = -mu*sign(v2 - v1)
solve t in 0..6, sliding = on
'''


def test_one_sign_for_both_bodies():
    """It stands there twice, with its sides exchanged: v1 - v2 is 0 from 8/3 on."""
    for rtol in TOLERANCES:
        found = run(BODIES, rtol)['values']
        near(found['v1'], 2/3, BOUND*float(rtol))
        near(found['v2'], 2/3, BOUND*float(rtol))


def test_a_wall_and_friction_along_one_axis():
    """At the wall both may hold the block, by any part of the force: what it does is
    determined. It comes to the wall, is pressed, let go, held by friction alone, and slips
    away from where 2 sin t = -0.5 on."""
    by_sign = '''var x = 0, v = 1, N
x' = v
v' = 2*sin(t) - 0.5*sign(v) - N
min(N, 1 - x) = 0
solve t in 0..5, sliding = on
'''
    by_law = by_sign.replace('v = 1, N', 'v = 1, N, F').replace('0.5*sign(v)', 'F').replace(
        'min(N', 'min(max(-v, F - 0.5), F + 0.5) = 0\nmin(N').replace(', sliding = on', '')
    slips = math.pi + math.asin(0.25)

    def v(t):
        return -2*(math.cos(t) - math.cos(slips)) + 0.5*(t - slips)

    def x(t):
        return (1 - 2*(math.sin(t) - math.sin(slips)) + 2*math.cos(slips)*(t - slips)
                + 0.25*(t - slips)**2)
    for text in (by_sign, by_law):
        for rtol in TOLERANCES:
            for t in (2, 3.2):
                found = run(text, rtol, '--to', str(t))['values']
                near(found['x'], 1, BOUND*float(rtol))
                near(found['v'], 0, BOUND*float(rtol))
            found = run(text, rtol)['values']
            near(found['x'], x(5), BOUND*float(rtol))
            near(found['v'], v(5), BOUND*float(rtol))


def test_friction_of_a_blow_does_not_turn_the_slip():
    """A body lands with 10 m/s at t = 1 and flies forward with 1 m/s: the blow of friction
    is 10 mu, and no more than what stops it; what is left is slowed down by mu g."""
    text = '''param mu = 0.3, g = 10
var x = 0, y = 5, N ~ 0
init x' = 1, y' = 0
x'' = -mu*N*sign(x')
y'' = -g + N
min(N, y) = 0
solve t in 0..3, sliding = on
'''
    for mu, x in (('0.3', 1), ('0.05', 1 + 0.5**2/(2*0.05*10))):
        for rtol in TOLERANCES:
            near(run(text, rtol, '--set', f'mu={mu}')['values']['x'], x,
                 BOUND*float(rtol))


# ---- control ----

CONTROLLER = '''var x = 1, y = 0
let s = y + x
let u = if s > 0 then -2 else 2
x' = y
y' = u + 0.5*sin(t)
solve t in 0..10, sliding = on
'''


def test_a_sliding_mode_controller():
    """Before: y = -2 t + 0.5 (1 - cos t), x = 1 - t^2 + 0.5 (t - sin t); on s = 0 then
    x' = -x and u = x - 0.5 sin t."""
    def x(t):
        return 1 - t*t + 0.5*(t - math.sin(t))

    def y(t):
        return -2*t + 0.5*(1 - math.cos(t))
    begins = root(lambda t: x(t) + y(t), 0.1, 1)
    for rtol in TOLERANCES:
        found = run(CONTROLLER, rtol, '--to', '3')
        expected = x(begins)*math.exp(begins - 3)
        near(found['values']['x'], expected, BOUND*float(rtol))
        near(found['values']['y'], -expected, BOUND*float(rtol))
        near(found['outputs']['u'], expected - 0.5*math.sin(3), BOUND*float(rtol))
        near(found['events'][0]['t'], begins, BOUND*float(rtol))


THERMOSTAT = '''param P = 3
var T = 15
T' = -0.2*(T - 10) + (if T < 20 then P else 0)
solve t in 0..30, sliding = on
'''


def test_a_condition_is_weighed():
    for rtol in TOLERANCES:
        found = run(THERMOSTAT, rtol)
        near(found['values']['T'], 20, BOUND*20*float(rtol))
        near(found['events'][0]['t'], 5*math.log(2), BOUND*float(rtol))


def test_two_relays_slide_one_after_the_other():
    """x' = -u + 0.3 w, y' = -w + 0.3 u: x = 0.3 - 0.7 t to 0, then u = 0.3 w and
    y' = -0.91."""
    text = '''var x = 0.3, y = 0.7
x' = -sign(x) + 0.3*sign(y)
y' = -sign(y) + 0.3*sign(x)
solve t in 0..3, sliding = on
'''
    first = 0.3/0.7
    for rtol in TOLERANCES:
        near(run(text, rtol, '--to', '0.8')['values']['y'],
             0.7 - 0.7*first - 0.91*(0.8 - first), BOUND*float(rtol))
        found = run(text, rtol)
        near(found['values']['x'], 0, float(rtol))
        near(found['values']['y'], 0, float(rtol))
        near(found['events'][0]['t'], first, BOUND*float(rtol))
        near(found['events'][1]['t'], first + (0.7 - 0.7*first)/0.91, BOUND*float(rtol))


# ---- what does not slide ----

def test_a_side_that_leads_on_is_crossed():
    """x' = 2 - sign(x): 3 below, 1 above; no sliding."""
    text = '''var x = -3
x' = 2 - sign(x)
solve t in 0..4, sliding = on
'''
    for rtol in TOLERANCES:
        document = run(text, rtol)
        near(document['values']['x'], 3, BOUND*float(rtol))
        equal(codes(document), [])


def test_branches_that_meet():
    """x'' = -x above 0, -4 x below: half periods of pi and pi/2."""
    text = '''var x = 1, y = 0
x' = y
y' = -(if x > 0 then x else 4*x)
solve t in 0..3*pi, sliding = on
'''
    for rtol in TOLERANCES:
        found = run(text, rtol)['values']
        near(found['x'], 1, BOUND*float(rtol)*5)
        near(found['y'], 0, BOUND*float(rtol)*5)


def test_a_branch_without_a_value_on_the_other_side():
    """The branch that is not taken is not evaluated: log(x) is for x > 0 alone."""
    text = '''var x = 2, y = 0
x' = -1
y' = if x > 1 then log(x - 0.5) else x
solve t in 0..3, sliding = on
'''
    for rtol in TOLERANCES:
        near(run(text, rtol)['values']['y'],
             1.5*math.log(1.5) - 1.5 - (0.5*math.log(0.5) - 0.5) + 0.5 - 0.5,
             BOUND*float(rtol))


def test_a_root_with_its_sign_goes_on_as_one():
    text = '''var h1 = 2, h2 = 1
let q = sign(h1 - h2)*sqrt(abs(h1 - h2))
h1' = -q
2*h2' = q
solve t in 0..3, sliding = on
'''
    for rtol in TOLERANCES:
        near(run(text, rtol)['values']['h1'], 4/3, BOUND*float(rtol))


def test_the_models_that_show_it():
    for name in ('control/relay_slides', 'contact/friction_by_its_sign'):
        dae('test', os.path.join(ROOT, 'models', name + '.dae'), status=0)


main(globals())
