"""Buck, boost and buck-boost converters with an ideal diode, min(i, v) = 0, through a
thousand switching periods. The reference goes from mode to mode: (iL, u) follows a linear
equation in each (switch closed, diode conducting, neither), which the power series of the
matrix exponential solves; conduction ends where iL is 0, found by Newton's method on that
series. `slow` as the third argument makes discontinuous conduction as long as the other."""

import bisect
import csv
import os
import sys

from support import EVERY, ROOT, dae, equal, main, near, write

IS_SLOW = sys.argv[3:] == ['slow']
TOLERANCES = ['1e-3', '1e-6', '1e-9']
PERIOD, DUTY, C = 1e-4, 0.4, 1e-4
# measured: below 25 for values (7 in sixty periods), below 3 for the end of a conduction
BOUND = 40

CONVERTERS = {
    'buck': ('buck_ideal_diode', 10, 1.0, 4.0),
    'boost': ('boost_ideal_diode', 5, 0.5, 8.0),
    'buck_boost': ('buck_boost_ideal_diode', 5, 0.5, 4.0),
}


# ---- the reference ----------------------------------------------------------------------

def modes_of(kind, E, L, R):
    """(iL', u') = A (iL, u, 1) with the switch closed, with the diode conducting, and with
    neither, where the load alone empties the capacitor."""
    load, charge = [0, -1/(R*C), 0], [1/C, -1/(R*C), 0]
    on = {'buck': ([0, -1/L, E/L], charge), 'boost': ([0, 0, E/L], load),
          'buck_boost': ([0, 0, E/L], load)}[kind]
    off = ([0, -1/L, E/L if kind == 'boost' else 0], charge)
    return on, off, ([0, 0, 0], load)


def slope(mode, z):
    return [sum(a*v for a, v in zip(row, (*z, 1))) for row in mode]


def after(mode, z, h):
    """The power series of the matrix exponential."""
    term = [h*v for v in slope(mode, z)]
    total, k = [v + d for v, d in zip(z, term)], 1
    while max(map(abs, term)) > 1e-18*max(map(abs, total)):
        k += 1
        term = [h/k*(row[0]*term[0] + row[1]*term[1]) for row in mode]
        total = [v + d for v, d in zip(total, term)]
    return total


def end_of_conduction(mode, z, most):
    """How long iL, which falls, is above 0; None: longer than `most`."""
    if after(mode, z, most)[0] > 0:
        return None
    h = min(most, -z[0]/slope(mode, z)[0])
    for _ in range(50):
        at = after(mode, z, h)
        step = -at[0]/slope(mode, at)[0]
        h += step
        if abs(step) < 1e-15*most:
            return h
    raise AssertionError('no end of a conduction')


class Reference:
    """Pieces of one mode each: when they begin, with what."""

    def __init__(self, kind, E, L, R, iL, u, periods):
        on, off, idle = modes_of(kind, E, L, R)
        self.t, self.pieces, self.ends = [], [], []
        z = [iL, u]
        for k in range(periods):
            opened, next_one = (k + DUTY)*PERIOD, (k + 1)*PERIOD
            z = self.add(k*PERIOD, on, z, DUTY*PERIOD)
            assert z[0] > 0
            h = end_of_conduction(off, z, next_one - opened)
            z = self.add(opened, off, z, next_one - opened if h is None else h)
            if h is not None:
                z[0] = 0.0
                self.ends.append(opened + h)
                z = self.add(opened + h, idle, z, next_one - opened - h)
                assert kind != 'boost' or z[1] > E  # else the diode conducts again
        self.events = len(self.t) - 1  # also the one at which the last period ends

    def add(self, t, mode, z, length):
        self.t.append(t)
        self.pieces.append((mode, z))
        return after(mode, z, length)

    def at(self, t):
        k = max(bisect.bisect_right(self.t, t) - 1, 0)
        mode, z = self.pieces[k]
        return after(mode, z, t - self.t[k])


def test_the_reference_begins_each_period_as_the_last_one():
    """In the end; in the mean the coil then has no voltage, and the capacitor no current:
    a buck converter's load has DUTY*E, which sums over the pieces must show."""
    reference = Reference('buck', 10, 1e-3, 5, 1.0, 4.0, 600)
    last, before = reference.at(600*PERIOD), reference.at(599*PERIOD)
    near(last[0], before[0], 1e-12)
    near(last[1], before[1], 1e-12)
    count = 4000
    mean = sum(reference.at((599 + (k + 0.5)/count)*PERIOD)[1] for k in range(count))/count
    near(mean, DUTY*10, 1e-7)


# ---- runs --------------------------------------------------------------------------------

def text_of(kind):
    with open(os.path.join(ROOT, f'models/circuits/{CONVERTERS[kind][0]}.dae'),
              encoding='utf-8') as file:
        return '\n'.join(line for line in file.read().split('\n')
                         if not line.startswith(('expect', 'plot')))


def rows_of(path):
    """One row of seven: both sides of events and output times in turn."""
    with open(path, encoding='utf-8') as file:
        head, *lines = [line for line in file if not line.startswith('#')]
    for row in csv.DictReader([head, *lines[::7]]):
        yield float(row['t']), float(row['iL']), float(row['u'])


def compare(reference, kind, L, R, periods, tolerance):
    """The largest error of any row, in tolerances of the largest value; that of the ends
    of conduction, in tolerances of a period."""
    _, _, iL, u = CONVERTERS[kind]
    write('m.dae', text_of(kind))
    found = dae('run', 'm.dae', '--json', '--rtol', tolerance, '--atol',
                str(float(tolerance)/100), '--set', f'L={L}', '--set', f'R={R}', '--set',
                f'iL(0)={iL}', '--set', f'u(0)={u}', '--to', repr(periods*PERIOD),
                '--points', str(3*periods//10), '-o', 'o.csv', status=0).json
    equal(found['status'], 'done')
    rows = list(rows_of('o.csv'))
    assert len(rows) > periods/2, len(rows)
    exact = [reference.at(t) for t, _, _ in rows]
    worst = 0
    for k in (0, 1):
        size = max(abs(z[k]) for z in exact)
        worst = max(worst, *(abs(row[k + 1] - z[k])/size for row, z in zip(rows, exact)))
    times = []
    for event in found['events']:
        if not times or event['t'] - times[-1] > 1e-12:
            times.append(event['t'])
    # the diode may be told at the start as well, whose current begins in the switch
    times = [t for t in times if 1e-12 < t < (periods - 1e-6)*PERIOD]
    equal(len(times), reference.events, f'events of {kind} at {tolerance}')
    own = [min(times[i - 1:i + 1], key=lambda s: abs(s - t)) for t in reference.ends
           for i in [max(bisect.bisect_left(times, t), 1)]]
    late = max((abs(s - t)/PERIOD for s, t in zip(own, reference.ends)), default=0)
    return worst/float(tolerance), late/float(tolerance)


def check(kind, L, R, periods):
    reference = Reference(kind, CONVERTERS[kind][1], L, R, *CONVERTERS[kind][2:], periods)
    for tolerance in TOLERANCES[::EVERY]:
        worst, late = compare(reference, kind, L, R, periods, tolerance)
        assert worst < BOUND and late < BOUND, (kind, tolerance, worst, late)


def test_buck_in_continuous_conduction():
    check('buck', 1e-3, 5, 1000)


def test_boost_in_continuous_conduction():
    check('boost', 1e-3, 20, 1000)


def test_buck_boost_in_continuous_conduction():
    check('buck_boost', 1e-3, 20, 1000)


# each change to the mode in which nothing conducts, and back, is an analysis of its equations
PERIODS = 1000 if IS_SLOW else 60


def test_buck_in_discontinuous_conduction():
    check('buck', 1e-4, 50, PERIODS)


def test_boost_in_discontinuous_conduction():
    check('boost', 1e-4, 200, PERIODS)


def test_buck_boost_in_discontinuous_conduction():
    check('buck_boost', 1e-4, 200, PERIODS)


def test_a_tolerance_below_what_a_unit_of_t_moves():
    """A unit in the last place of t moves the current by 4e-14 and more."""
    for atol in ('1e-13', '1e-15'):
        words = ('--method', 'bdf', '--rtol', '1e-6', '--atol', atol, '--to', '0.02')
        path = os.path.join(ROOT, 'models', 'circuits', 'buck_ideal_diode.dae')
        equal(dae('run', path, *words, '--check-atol', 'never', '--json').json['status'], 'done')


main(globals())
