"""A block on a slope with Coulomb friction, both by complementarity: min(N, y) = 0 of the
force N and the gap y, and min(max(v, F - mu N), F + mu N) = 0 of the friction F and the slip
v. The slope shakes, so that the block sticks, slips, leaves it, and lands without a bounce;
the blow of friction is mu times that of N, and no more than what stops the slip. The
reference goes from piece to piece in closed form, with their ends found by bisection."""

import bisect
import csv
import math
import os

from support import EVERY, ROOT, dae, main, write

TOLERANCES = ['1e-3', '1e-4', '1e-5', '1e-6', '1e-7', '1e-8', '1e-9'][::EVERY]
# measured: below 9
BOUND = 20
END = 12
SCAN = 4e-3  # no piece is as short as that


class Piece:
    """Acceleration a + b sin(w t) along the slope and c + d sin(w t) away from it, which are
    integrated twice."""

    def __init__(self, name, t, state, along, away, w):
        self.name, self.t, self.state, self.along, self.away, self.w = (
            name, t, state, along, away, w)

    def at(self, t):
        x, v, y, u = self.state
        w, s = self.w, t - self.t
        once = (math.cos(w*self.t) - math.cos(w*t))/w
        twice = math.cos(w*self.t)*s/w - (math.sin(w*t) - math.sin(w*self.t))/w**2
        a, b = self.along
        c, d = self.away
        return (x + v*s + a*s*s/2 + b*twice, v + a*s + b*once,
                y + u*s + c*s*s/2 + d*twice, u + c*s + d*once)


class Reference:
    """A slope of the angle `a`, of which `lift` and `push` are the largest forces away from
    it and along it, both with sin(w t), on a block of mass 1."""

    def __init__(self, a, mu, lift, push, w, end, g=10):
        self.mu, self.w = mu, w
        self.down, self.press = g*math.sin(a), g*math.cos(a)
        self.lift, self.push = lift, push
        self.pieces, self.blows = [], 0
        state, t = (0.0, 0.0, 0.0, 0.0), 0.0
        while t < end:
            piece = self.piece(t, state)
            self.pieces.append(piece)
            t = self.end_of(piece, end)
            state = self.behind(piece, t)
        self.times = [piece.t for piece in self.pieces]

    def normal(self, t):
        return self.press - self.lift*math.sin(self.w*t)

    def driven(self, t):
        return self.down + self.push*math.sin(self.w*t)

    def piece(self, t, state):
        v, y = state[1:3]
        later = t + 1e-9  # what is at its threshold is on its way across
        if y > 0 or self.normal(later) < 0:
            return Piece('flies', t, state, (self.down, self.push), (-self.press, self.lift),
                         self.w)
        if v == 0 and abs(self.driven(later)) <= self.mu*self.normal(later):
            return Piece('sticks', t, state, (0, 0), (0, 0), self.w)
        sense = math.copysign(1, v if v else self.driven(later))
        return Piece(sense, t, state, (self.down - sense*self.mu*self.press,
                                       self.push + sense*self.mu*self.lift), (0, 0), self.w)

    def margin(self, piece, t):
        """What is negative where the piece has come to its end."""
        if piece.name == 'flies':
            return piece.at(t)[2]
        if piece.name == 'sticks':
            return min(self.mu*self.normal(t) - abs(self.driven(t)), self.normal(t))
        return min(piece.name*piece.at(t)[1], self.normal(t))

    def end_of(self, piece, end):
        t = piece.t + SCAN
        while self.margin(piece, t) > 0:
            t += SCAN
            if t > end:
                return end
        low, high = t - SCAN, t
        if low == piece.t:
            low += 1e-9
            assert self.margin(piece, low) > 0, (piece.name, piece.t)
        for _ in range(60):
            middle = (low + high)/2
            if self.margin(piece, middle) > 0:
                low = middle
            else:
                high = middle
        return high

    def behind(self, piece, t):
        x, v, y, u = piece.at(t)
        if piece.name != 'flies':
            return x, 0.0 if abs(v) < 1e-9 else v, 0.0, 0.0
        self.blows += 1
        return x, math.copysign(max(abs(v) + self.mu*u, 0), v), 0.0, 0.0

    def at(self, t):
        return self.pieces[max(bisect.bisect_right(self.times, t) - 1, 0)].at(t)


def model():
    with open(os.path.join(ROOT, 'models/contact/block_on_shaking_slope.dae'),
              encoding='utf-8') as file:
        return '\n'.join(line for line in file.read().split('\n')
                         if not line.startswith(('expect', 'plot')))


def compare(reference, text, tolerance, *words):
    """The largest error of place, slip and gap, of any row that is not an event's, in
    tolerances of the largest value of each."""
    write('m.dae', text)
    dae('run', 'm.dae', '--json', '--rtol', tolerance, '--atol', str(float(tolerance)/100),
        '--to', str(END), '--points', '201', '-o', 'o.csv', *words, status=0)
    with open('o.csv', encoding='utf-8') as file:
        rows = [[float(row[name]) for name in ('t', 'x', 'v', 'y')] for row in
                csv.DictReader(line for line in file if not line.startswith('#'))]
    rows = [row for row in rows
            if min(abs(row[0] - t) for t in reference.times) > BOUND*float(tolerance)]
    exact = [reference.at(row[0]) for row in rows]
    worst = 0
    for k in (0, 1, 2):
        size = max(abs(z[k]) for z in exact)
        worst = max(worst, *(abs(row[k + 1] - z[k])/size for row, z in zip(rows, exact)))
    return worst/float(tolerance)


CASES = {
    'shaken away from the slope': dict(a=0.3, mu=0.4, lift=14, push=0, w=2),
    'shaken along it as well': dict(a=0.3, mu=0.4, lift=14, push=-6, w=2),
    'steeper than its friction': dict(a=0.5, mu=0.3, lift=12, push=-9, w=3),
    'rough': dict(a=0.3, mu=1.2, lift=16, push=5, w=2.5),
    'long in the air': dict(a=0.02, mu=0.73, lift=17.6, push=-3.6, w=1.4),
}

BY_LAW = 'min(max(rough*v, F - mu*N), F + mu*N) = 0'
BY_SIGN = 'F = -mu*N*sign(v)'


def check(name, law, tolerances):
    case = CASES[name]
    reference = Reference(**case, end=END)
    assert reference.blows >= 3 and len(reference.pieces) > 7, reference.blows
    words = [w for key, value in case.items() for w in ('--set', f'{key}={value}')]
    text = model().replace(BY_LAW, law)
    assert law in text
    if law == BY_SIGN:
        text = text.replace('solve t in 0..6', 'solve t in 0..6, sliding = on')
    for tolerance in tolerances:
        worst = compare(reference, text, tolerance, *words)
        assert worst < BOUND, (name, tolerance, worst)


for case_name in CASES:
    own_name = 'test_' + case_name.replace(' ', '_')
    globals()[own_name] = lambda name=case_name: check(name, BY_LAW, TOLERANCES)
    globals()[own_name + '_by_sign'] = (
        lambda name=case_name: check(name, BY_SIGN, TOLERANCES[::3]))


def test_the_end_of_a_run_decides_nothing_before_it():
    """The first steps are shares of the interval: the block begins to slip from many
    others, where the force that holds it has come to its end by rounding alone."""
    for name in ('shaken away from the slope', 'rough'):
        words = [w for key, value in CASES[name].items() for w in ('--set', f'{key}={value}')]
        write('m.dae', model().replace(BY_LAW, BY_SIGN).replace(
            'solve t in 0..6', 'solve t in 0..6, sliding = on'))
        for end in (6, 6.7, 7.3, 8.3, 11, 13, 20, 40)[::EVERY]:
            dae('run', 'm.dae', '--rtol', '1e-3', '--atol', '1e-5', '--to', str(end), *words,
                status=0)


main(globals())
