"""Bounces that become ever shorter, in every form of one and the same motion: a ball
on a straight rail against a wall. On the rail it falls with a constant a, so that
n bounces with the restitution e are over at sqrt(2 x0/a) (1 + 2 (e + ... + e^n))."""

import math
import random
import re

from support import dae, equal, main, near, write

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


def bounces_of(document):
    """Times; nothing but bounces, each of them towards the wall and away."""
    for event in document['events']:
        equal(event['label'], 'wall')
        before, after = event['before'].get('u'), event['after'].get('u')
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


main(globals())
