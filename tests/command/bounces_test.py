"""Bounces that become ever shorter, in every form of one and the same motion: a ball
on a straight rail against a wall. On the rail it falls with a constant a, so that
n bounces with the restitution e are over at sqrt(2 x0/a) (1 + 2 (e + ... + e^n))."""

import math
import random
import re

from support import ROOT, dae, equal, main, near, write

G = 9.81

# the rail is y = k x, and gravity pulls to the wall whatever the sign of k
FORMS = {
    0: '''var x = {x0}, u = 0
x' = u
u' = -{a}
''',
    1: '''var x = {x0}, y = {y0}, u = 0, v = 0, lam~0
x' = u
y' = v
u' = lam*k
v' = -lam - g
rail: v' = k*u'
''',
    2: '''var x = {x0}, y = {y0}, u = 0, v~0, lam~0
x' = u
y' = v
u' = lam*k
v' = -lam - g
rail: v = k*u
''',
    3: '''var x = {x0}, y~{y0}, u = 0, v~0, lam~0
x' = u
y' = v
u' = lam*k
v' = -lam - g
rail: y = k*x
''',
}
WALL = '''wall: when x < 0
  u := -e*u{and_v}
end
solve t in 0..{end}, rtol = {rtol}
'''


class Ball:
    def __init__(self, k, e, x0):
        self.k, self.e, self.x0 = k, e, x0
        self.g = math.copysign(G, k)
        self.a = abs(k)*G/(1 + k*k)
        self.first = math.sqrt(2*x0/self.a)
        self.limit = self.first*(1 + 2*e/(1 - e))

    def text(self, index, rtol, end):
        body = FORMS[index] + WALL
        return f'param k = {self.k!r}, e = {self.e!r}, g = {self.g!r}\n' + body.format(
            x0=repr(self.x0), y0=repr(self.k*self.x0), a=repr(self.a), end=repr(end),
            rtol=repr(rtol), and_v='\n  v := -e*v' if index == 1 else '')


def limit_of(diagnostics):
    """Of E0520, which is all there is but for notes."""
    told = [d for d in diagnostics if d['severity'] != 'note']
    equal([d['code'] for d in told], ['E0520'], str(told))
    return float(re.search(r'beyond t = ([0-9.e+-]+)', told[0]['message'])[1])


def bounces_of(document, speed='u'):
    """Times; nothing but bounces, each of them towards the wall and away."""
    for event in document['events']:
        equal(event['label'], 'wall')
        before, after = event['before'][speed], event['after'][speed]
        equal(before < 0 < after, True, str(event))
    return [event['t'] for event in document['events']]


def check_rest(ball, index, rtol, reduce, close):
    name = f'index {index}, {reduce}, rtol {rtol}, {vars(ball)}'
    write('m.dae', ball.text(index, rtol, 1.5*ball.limit + 1))
    document = dae('run', 'm.dae', '--json', '--no-times', '--events', '--reduce',
                   reduce, status=4).json
    near(limit_of(document['diagnostics'])/ball.limit, 1, close, name)
    bounces_of(document)


def check_forms(seed, reduces):
    rng = random.Random(seed)
    for index in FORMS:
        for reduce in reduces if index > 1 else ['auto']:
            for _ in range(6):
                ball = Ball(rng.uniform(0.1, 3)*rng.choice([-1, 1]),
                            rng.uniform(0.1, 0.8), rng.uniform(0.3, 3))
                check_rest(ball, index, 10**rng.uniform(-9, -3), reduce, 1e-7)


def test_every_form_comes_to_rest():
    check_forms(1, ['auto', 'project'])


def test_a_run_that_ends_before_the_rest():
    """Thousands of bounces whose times accumulate are no reason to end before the time."""
    ball = Ball(1, 0.999, 1)
    end, n = 0.9*ball.limit, 0
    while ball.first*(1 + 2*sum(ball.e**k for k in range(1, n + 1))) < end:
        n += 1
    write('m.dae', ball.text(0, 1e-6, end))
    document = dae('run', 'm.dae', '--json', '--no-times', '--events', status=0).json
    equal(len(bounces_of(document)), n)
    write('m.dae', ball.text(0, 1e-6, 1.1*ball.limit))
    document = dae('run', 'm.dae', '--json', '--no-times', status=4).json
    near(limit_of(document['diagnostics'])/ball.limit, 1, 1e-8, 'limit')


PENDULUM = '''var x = 1, y = 0, lam~0
x'' = -lam*x
y'' = -lam*y - 9.81
rod: x^2 + y^2 = 1
init y' = 0
wall: when x < 0.6
  x' := -{e}*x'
end
solve t in 0..2, rtol = {rtol}
'''


def swing(e, n):
    """From the wall up and back with e^n of the speed of the first arrival: with
    y = top - s^2 it is an integral of a smooth function, taken by Simpson's rule."""
    top = -0.8 + 0.8*e**(2*n)
    h = math.sqrt(top + 0.8)/400
    f = [4/math.sqrt(2*G*(1 - (top - (k*h)**2)**2)) for k in range(401)]
    return h/3*(f[0] + f[400] + 4*sum(f[1:400:2]) + 2*sum(f[2:400:2]))


def test_a_pendulum_at_a_wall():
    """It turns at a wall with all its speed: sqrt(2 g 0.8) across, 0.8 of it along x."""
    speed = 0.8*math.sqrt(2*G*0.8)
    rest = swing(0.5, 0)/2 + sum(swing(0.5, n) for n in range(1, 60))
    for rtol in (1e-4, 1e-6, 1e-9):
        write('m.dae', PENDULUM.format(e=1, rtol=rtol))
        document = dae('run', 'm.dae', '--json', '--no-times', '--events', status=0).json
        times = bounces_of(document, "x'")
        near(document['events'][0]['after']["x'"], speed, 1e3*rtol, "x'")
        near(times[1], 3*times[0], 1e3*rtol, 'the second')
        equal([d['code'] for d in document['diagnostics'] if d['severity'] != 'note'], [])
        write('m.dae', PENDULUM.format(e=0.5, rtol=rtol))
        document = dae('run', 'm.dae', '--json', '--no-times', '--events', status=4).json
        near(limit_of(document['diagnostics']), rest, 1e3*rtol, 'rest')
        bounces_of(document, "x'")


def test_what_no_condition_asks_for():
    """A block brakes and rests: that its drag stays at v = 0 is no bounce."""
    path = ROOT + '/models/mechanics/braking_block.dae'
    equal('W0528' in dae('run', path, status=0).err, False)
    write('m.dae', 'var h = 1, v = 0, q = 0\nh\' = v\nv\' = -10\nq\' = if h < 0 then 1 '
          'else 2\nwhen h < 0\n  v := 0\nend\nsolve t in 0..1\n')
    equal('W0528' in dae('run', 'm.dae', status=0).err, True)


main(globals())
