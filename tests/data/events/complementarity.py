#!/usr/bin/env python3
"""Linear systems with complementarity, 0 = min(a, b), solved mode by mode:

    python3 complementarity.py > complementarity.json

for tests/command/complementarity_test.py. Nothing here integrates with steps or knows
of the solver. A mode says for each pair which member is 0. Its equations E z' = F z
(sources are unknowns of their own: sin and cos of w t, and the constant 1) are brought
to z' = A z with constraints C z = 0 by the shuffle algorithm [D. G. Luenberger,
Time-invariant descriptor systems, Automatica 14 (1978) 473], whatever their index; z
goes on by the power series of exp(A t), and a mode ends where the other member of a
pair turns negative. The next one is the first, by the number of pairs that differ, in
which what is integrated stays as it is and the other member of every pair begins with
a positive term of its Taylor series. Doubles; the values are good to about 1e-12."""

import itertools
import json
import math

SMALL = 1e-9  # of a scaled pivot, a constraint that is violated, a Taylor term that is 0


def reduce_rows(rows, width):
    """Gauss-Jordan on the first `width` columns, with complete pivoting; the rank."""
    rank, used = 0, set()
    for _ in range(min(len(rows), width)):
        best, at = SMALL, None
        for i in range(rank, len(rows)):
            for j in range(width):
                if j not in used and abs(rows[i][j]) > best:
                    best, at = abs(rows[i][j]), (i, j)
        if at is None:
            break
        i, j = at
        rows[rank], rows[i] = rows[i], rows[rank]
        pivot = rows[rank][j]
        rows[rank] = [v/pivot for v in rows[rank]]
        for k, row in enumerate(rows):
            if k != rank and row[j]:
                f = row[j]
                rows[k] = [a - f*b for a, b in zip(row, rows[rank])]
                rows[k][j] = 0.0
        used.add(j)
        rank += 1
    return rank


def scaled(row):
    size = max(abs(v) for v in row)
    return [v/size for v in row] if size else row


class Mode:
    """z' = A z where C z = 0; None as A: the equations are singular."""

    def __init__(self, e, f):
        n = len(f[0])
        rows = [scaled(a + b) for a, b in zip(e, f)]
        self.C, self.A = [], None
        for _ in range(n + 2):
            rank = reduce_rows(rows, n)
            hidden = [scaled(r[n:]) for r in rows[rank:]]
            if not hidden:
                break
            self.C += hidden
            rows = rows[:rank] + [h + [0.0]*n for h in hidden]
        else:
            return
        reduce_rows(rows, n)
        order = sorted(rows, key=lambda r: [abs(v) > 0.5 for v in r[:n]].index(True))
        self.A = [r[n:] for r in order]
        self.steps = {}

    def slope(self, z):
        return [sum(a*v for a, v in zip(row, z) if a) for row in self.A]

    def after(self, z, h):
        total, term, k = list(z), list(z), 0
        while max(map(abs, term)) > 1e-18*max(map(abs, total)) and k < 200:
            k += 1
            term = [v*h/k for v in self.slope(term)]
            total = [a + b for a, b in zip(total, term)]
        return total


class System:
    """Names of unknowns; equations as {name: factor}, a derivative as name + "'";
    pairs of linear forms of which one is 0 and none negative; w of the source."""

    def __init__(self, names, equations, pairs, start, w, most):
        self.names = names + ['one', 'sin', 'cos']
        self.start, self.most = start, most
        self.base = [*equations, {"one'": 1}, {"sin'": 1, 'cos': w}, {"cos'": 1, 'sin': -w}]
        self.base[-2]['cos'] = -w
        self.base[-1]['sin'] = w
        self.pairs = [tuple(self.form(m) for m in p) for p in pairs]
        self.modes = {}

    def form(self, terms):
        return [terms.get(n, 0.0) for n in self.names]

    def mode(self, sides):
        if sides not in self.modes:
            zero = [p[s] for p, s in zip(self.pairs, sides)]
            e = [[q.get(n + "'", 0.0) for n in self.names] for q in self.base]
            f = [[-q.get(n, 0.0) for n in self.names] for q in self.base]
            self.modes[sides] = Mode(e + [[0.0]*len(self.names) for _ in zero],
                                     f + zero)
        return self.modes[sides]

    def complete(self, mode, given):
        """z with what is given, and the rest by the constraints; None: there is none."""
        free = [k for k, n in enumerate(self.names) if n not in given]
        value = [given.get(n, 0.0) for n in self.names]
        rows = [[c[k] for k in free] + [-sum(a*v for a, v in zip(c, value))] for c in mode.C]
        rank = reduce_rows(rows, len(free))
        if rank < len(free):
            return None
        size = 1 + max(map(abs, value))
        if any(abs(r[-1]) > 1e-7*size for r in rows[rank:]):
            return None
        for row in rows[:rank]:
            value[free[[abs(v) > 0.5 for v in row[:-1]].index(True)]] = row[-1]
        return value

    def margins(self, sides, z):
        return [sum(a*v for a, v in zip(p[1 - s], z)) for p, s in zip(self.pairs, sides)]

    def begins_well(self, sides, mode, z):
        scale, open_pairs, d = 1.0, list(range(len(self.pairs))), z
        for _ in range(6):
            values, left = self.margins(sides, d), []
            for k in open_pairs:
                if values[k] < -SMALL*scale:
                    return False
                if values[k] <= SMALL*scale:
                    left.append(k)
            open_pairs = left
            if not left:
                return True
            d = mode.slope(d)
            scale = max(1.0, max(map(abs, d)))
        return True

    def enter(self, before, given):
        every = itertools.product((0, 1), repeat=len(self.pairs))
        for sides in sorted(every, key=lambda s: sum(a != b for a, b in zip(s, before))):
            mode = self.mode(sides)
            if mode.A is None:
                continue
            z = self.complete(mode, given)
            if z and self.begins_well(sides, mode, z):
                return sides, mode, z
        raise ValueError(f'no mode at {given}')

    def held(self, z):
        return {n: z[self.names.index(n)] for n in [*self.start, 'one', 'sin', 'cos']}

    def run(self, times, at=0.0, given=None, sides=None, phase=0.0):
        """Values of all names at `times`, ascending; how often the mode has changed."""
        start = given or {**self.start, 'one': 1.0, 'sin': math.sin(phase), 'cos': math.cos(phase)}
        sides, mode, z = self.enter(sides or (0,)*len(self.pairs), start)
        t, out, changes, fresh = at, [], 0, True
        for end in times:
            while t < end:
                h = min(self.most, end - t)
                to = mode.after(z, h)
                if fresh and min(self.margins(sides, to)) < 0:
                    h, to = h/1000, mode.after(z, h/1000)
                if min(self.margins(sides, to)) >= -1e-13*(1 + max(map(abs, to))):
                    t, z, fresh = t + h, to, False
                    continue
                lo, hi = 0.0, h
                while lo < (lo + hi)/2 < hi:
                    middle = (lo + hi)/2
                    if min(self.margins(sides, mode.after(z, middle))) < 0:
                        hi = middle
                    else:
                        lo = middle
                z, t = mode.after(z, hi), t + hi
                old = sides
                sides, mode, z = self.enter(sides, self.held(z))
                changes += sides != old
                fresh = True
            out.append(dict(zip(self.names, z)))
        self.sides, self.last = sides, z
        return out, changes


def one(terms):
    return {k: float(v) for k, v in terms.items()}


def half_bridge():
    """L i' = sin t - R i + v, 0 = min(i, v)."""
    return System(['i', 'v'], [one({"i'": 1, 'sin': -1, 'i': 1, 'v': -1})],
                  [({'i': 1.0}, {'v': 1.0})], {'i': 0.0}, 1.0, 0.02), [1.0, 4.0, 20.0], ['i', 'v']


def full_bridge():
    Rs, C, R, G = 0.1, 1.0, 5.0, 1e-3
    d = ['d1', 'd2', 'd3', 'd4']
    e = [one({'i': Rs, 'sin': -1, 'va': 1, 'vb': -1}),
         one({'i': 1, 'd3': 1, 'd1': -1, 'va': -G}), one({'d4': 1, 'd2': -1, 'i': -1, 'vb': -G}),
         one({"u'": C, 'd1': -1, 'd2': -1, 'u': 1/R})]
    pairs = [({'d1': 1.0}, {'u': 1.0, 'va': -1.0}), ({'d2': 1.0}, {'u': 1.0, 'vb': -1.0}),
             ({'d3': 1.0}, {'va': 1.0}), ({'d4': 1.0}, {'vb': 1.0})]
    return System(['i', 'u', 'va', 'vb', *d], e, pairs, {'u': 0.2}, 1.0, 0.02), [2.0, 20.0], ['u', 'i']


def three_phase_bridge():
    Rs, Ld, R, G = 0.05, 1.0, 1.0, 1e-3
    names = [f'{n}{k}' for k in (1, 2, 3) for n in ('i', 'va', 'dp', 'dn')] + ['vp', 'vn', 'id']
    e, pairs = [], []
    for k in (1, 2, 3):
        a = 2*math.pi*(k - 1)/3
        e.append(one({f'i{k}': Rs, f'va{k}': 1, 'cos': -math.cos(a), 'sin': -math.sin(a)}))
        e.append(one({f'i{k}': 1, f'dn{k}': 1, f'dp{k}': -1}))
        pairs += [({f'dp{k}': 1.0}, {'vp': 1.0, f'va{k}': -1.0}),
                  ({f'dn{k}': 1.0}, {f'va{k}': 1.0, 'vn': -1.0})]
    e += [one({'dp1': 1, 'dp2': 1, 'dp3': 1, 'id': -1, 'vp': -G}),
          one({'dn1': 1, 'dn2': 1, 'dn3': 1, 'id': -1, 'vn': G}),
          one({"id'": Ld, 'vp': -1, 'vn': 1, 'id': R})]
    return System(names, e, pairs, {'id': 0.0}, 1.0, 0.02), [1.0, 12.0], ['id', 'vp', 'vn']


def three_phase_bridge_from_rest():
    """With inductances of the sources, no current anywhere at first: which two diodes begin is a matter of
    slopes alone, and a current goes on from one to the next while both conduct."""
    w, U, Ls, Ld, R = 100*math.pi, 1.0, 1e-4, 2e-3, 1.0
    names = [f'{n}{k}' for k in (1, 2, 3) for n in ('is', 'va', 'ip', 'im')] + ['P', 'M', 'n0', 'il']
    e, pairs = [], []
    for k in (1, 2, 3):
        a = 2*math.pi*(k - 1)/3
        e.append(one({f"is{k}'": Ls, f'va{k}': 1, 'n0': -1, 'sin': -U*math.cos(a), 'cos': U*math.sin(a)}))
        e.append(one({f'is{k}': 1, f'im{k}': 1, f'ip{k}': -1}))
        pairs += [({f'ip{k}': 1.0}, {'P': 1.0, f'va{k}': -1.0}),
                  ({f'im{k}': 1.0}, {f'va{k}': 1.0, 'M': -1.0})]
    e += [one({'is1': 1, 'is2': 1, 'is3': 1}), one({'P': 1, 'M': 1}),
          one({'ip1': 1, 'ip2': 1, 'ip3': 1, 'il': -1}), one({"il'": Ld, 'P': -1, 'M': 1, 'il': R})]
    return (System(names, e, pairs, {'il': 0.0, 'is1': 0.0, 'is2': 0.0, 'is3': 0.0}, w, 0.02/w),
            [0.004, 0.02, 0.1], ['il', 'P'])


def peak_detector():
    C, R = 0.1, 10.0
    return System(['u', 'i', 'v'], [one({"u'": C, 'i': -1, 'u': 1/R}), one({'v': 1, 'u': -1, 'sin': 1})],
                  [({'i': 1.0}, {'v': 1.0})], {'u': 0.0}, 5.0, 0.005), [0.2, 1.0, 4.0], ['u', 'i', 'v']


def voltage_doubler():
    C, R, Rs = 1.0, 20.0, 0.1
    e = [one({'i': Rs, 'sin': -1, 'u1': 1, 'vx': 1}), one({"u1'": C, 'i': -1}),
         one({'i': 1, 'd2': -1, 'd1': 1}), one({"u2'": C, 'd2': -1, 'u2': 1/R})]
    pairs = [({'d1': 1.0}, {'vx': 1.0}), ({'d2': 1.0}, {'u2': 1.0, 'vx': -1.0})]
    return System(['u1', 'u2', 'i', 'vx', 'd1', 'd2'], e, pairs, {'u1': 0.0, 'u2': 0.0}, 1.0, 0.02), \
        [3.0, 30.0], ['u1', 'u2']


def voltage_doubler_ideal():
    """The same from a source without resistance: its modes have index 2."""
    C, R = 1.0, 20.0
    e = [one({'sin': 1, 'u1': -1, 'vx': -1}), one({"u1'": C, 'i': -1}),
         one({'i': 1, 'd2': -1, 'd1': 1}), one({"u2'": C, 'd2': -1, 'u2': 1/R})]
    pairs = [({'d1': 1.0}, {'vx': 1.0}), ({'d2': 1.0}, {'u2': 1.0, 'vx': -1.0})]
    return System(['u1', 'u2', 'i', 'vx', 'd1', 'd2'], e, pairs, {'u1': 0.0, 'u2': 0.0}, 1.0, 0.02), \
        [3.0, 30.0], ['u1', 'u2', 'i']


def relief_valve():
    e = [one({"p'": 1, 'one': -1, 'sin': -1.5, 'q': 1, 'p': 0.3})]
    return System(['p', 'q'], e, [({'q': 1.0}, {'one': 2.0, 'p': -1.0})], {'p': 0.0}, 1.0, 0.02), \
        [1.0, 2.5, 20.0], ['p', 'q']


def pump():
    R = 0.2
    e = [one({"p'": 1, 'q1': -1, 'q2': 1, 'sin': -2}), one({'q1': R, 'p': 1, 'd1': -1}),
         one({'q2': R, 'p': -1, 'one': 1, 'd2': -1})]
    pairs = [({'q1': 1.0}, {'d1': 1.0}), ({'q2': 1.0}, {'d2': 1.0})]
    return System(['p', 'q1', 'q2', 'd1', 'd2'], e, pairs, {'p': 0.0}, 3.0, 0.01), \
        [1.0, 10.0], ['p', 'q1', 'q2']


def pump_with_inertia():
    """Flows that a closed valve stops have index 2; all start at 0."""
    I, R = 0.1, 0.2
    e = [one({"p'": 1, 'q1': -1, 'q2': 1, 'sin': -2}), one({"q1'": I, 'q1': R, 'p': 1, 'd1': -1}),
         one({"q2'": I, 'q2': R, 'p': -1, 'one': 1, 'd2': -1})]
    pairs = [({'q1': 1.0}, {'d1': 1.0}), ({'q2': 1.0}, {'d2': 1.0})]
    return System(['p', 'q1', 'q2', 'd1', 'd2'], e, pairs, {'p': 0.0, 'q1': 0.0, 'q2': 0.0}, 3.0, 0.01), \
        [1.0, 10.0], ['p', 'q1', 'q2', 'd1', 'd2']


def valves_in_parallel():
    R = 0.2
    e = [one({"p'": 1, 'q1': -1, 'q2': -1, 'p': 0.1}), one({'q1': R, 'sin': -1, 'p': 1, 'd1': -1}),
         one({'q2': 2*R, 'sin': -1, 'p': 1, 'd2': -1})]
    pairs = [({'q1': 1.0}, {'d1': 1.0}), ({'q2': 1.0}, {'d2': 1.0})]
    return System(['p', 'q1', 'q2', 'd1', 'd2'], e, pairs, {'p': 0.0}, 1.0, 0.02), [2.0, 10.0], ['p', 'q1', 'q2']


def pump_with_valve_pairs():
    """Two inlet valves in parallel, two outlet valves in series with an elastic pipe between."""
    e = [one({"p'": 1, 'q1': -1, 'q2': -1, 'q3': 1, 'sin': -2}), one({"m'": 0.3, 'q3': -1, 'q4': 1}),
         one({'q1': 0.2, 'p': 1, 'd1': -1}), one({'q2': 0.5, 'p': 1, 'd2': -1}),
         one({'q3': 0.2, 'p': -1, 'm': 1, 'd3': -1}), one({'q4': 0.3, 'm': -1, 'one': 1, 'd4': -1})]
    pairs = [({f'q{k}': 1.0}, {f'd{k}': 1.0}) for k in (1, 2, 3, 4)]
    return System(['p', 'm', 'q1', 'q2', 'q3', 'q4', 'd1', 'd2', 'd3', 'd4'], e, pairs,
                  {'p': 0.0, 'm': 1.0}, 3.0, 0.01), [1.0, 2.0, 3.4, 6.2, 7.4, 10.0], \
        ['p', 'm', 'q1', 'q2', 'q3', 'q4']


def pump_with_valve_pairs_and_inertia():
    """The same with inertia of the water in each valve: up to four flows are held at 0."""
    I = 0.05
    e = [one({"p'": 1, 'q1': -1, 'q2': -1, 'q3': 1, 'sin': -2}), one({"m'": 0.3, 'q3': -1, 'q4': 1}),
         one({"q1'": I, 'q1': 0.2, 'p': 1, 'd1': -1}), one({"q2'": I, 'q2': 0.5, 'p': 1, 'd2': -1}),
         one({"q3'": I, 'q3': 0.2, 'p': -1, 'm': 1, 'd3': -1}),
         one({"q4'": I, 'q4': 0.3, 'm': -1, 'one': 1, 'd4': -1})]
    pairs = [({f'q{k}': 1.0}, {f'd{k}': 1.0}) for k in (1, 2, 3, 4)]
    return System(['p', 'm', 'q1', 'q2', 'q3', 'q4', 'd1', 'd2', 'd3', 'd4'], e, pairs,
                  {'p': 0.0, 'm': 0.95, 'q1': 0.0, 'q2': 0.0, 'q3': 0.0, 'q4': 0.0}, 3.0, 0.01), \
        [1.0, 2.0, 3.4, 6.2, 7.4, 10.0], ['p', 'm', 'q1', 'q2', 'q3', 'q4']


def pump_with_relief():
    """A check valve on each side and a relief valve on the chamber, which holds its pressure."""
    e = [one({"p'": 1, 'q1': -1, 'q2': 1, 'q3': 1, 'sin': -2}), one({'q1': 0.2, 'p': 1, 'd1': -1}),
         one({'q2': 0.8, 'p': -1, 'one': 1, 'd2': -1})]
    pairs = [({'q1': 1.0}, {'d1': 1.0}), ({'q2': 1.0}, {'d2': 1.0}), ({'q3': 1.0}, {'one': 1.2, 'p': -1.0})]
    return System(['p', 'q1', 'q2', 'q3', 'd1', 'd2'], e, pairs, {'p': 0.0}, 3.0, 0.01), \
        [0.7, 0.9, 2.0, 5.1, 10.0], ['p', 'q1', 'q2', 'q3']


def relief_valves():
    """Two vessels one behind the other, a relief valve on each."""
    e = [one({"p1'": 1, 'one': -1, 'sin': -1.5, 'q1': 1, 'p1': 1, 'p2': -1}),
         one({"p2'": 0.5, 'p1': -1, 'p2': 1.1, 'q2': 1})]
    pairs = [({'q1': 1.0}, {'one': 2.0, 'p1': -1.0}), ({'q2': 1.0}, {'one': 1.5, 'p2': -1.0})]
    return System(['p1', 'p2', 'q1', 'q2'], e, pairs, {'p1': 0.0, 'p2': 0.0}, 1.0, 0.02), \
        [1.0, 1.5, 4.0, 6.5, 8.5, 16.5, 20.0], ['p1', 'p2', 'q1', 'q2']


def blocked_diode():
    """A diode that blocks all the time, and a capacitor behind it."""
    e = [one({'sin': 1, 'i': -1, 'vr': 1, 'u': -1}), one({"u'": 1, 'i': -1, 'u': 0.01})]
    return System(['i', 'vr', 'u'], e, [({'i': 1.0}, {'vr': 1.0})], {'u': 3.0}, 6.0, 0.01), [20.0], ['u']


def knee():
    """A diode that conducts at 0.7 behind a coil: it starts blocked, index 2."""
    e = [one({"i'": 0.1, 'sin': -3, 'i': 1, 'v': 1, 'u': 1}), one({"u'": 0.1, 'i': -1})]
    return System(['i', 'v', 'u'], e, [({'i': 1.0}, {'one': 0.7, 'v': -1.0})], {'i': 0.0, 'u': 0.0},
                  2.0, 0.01), [20.0], ['u']


def centre_tapped():
    """Two diodes that hand over where the source is 0, into a coil."""
    e = [one({"iL'": 0.1, 'vk': -1, 'iL': 10}), one({'iL': 1, 'i1': -1, 'i2': -1})]
    pairs = [({'i1': 1.0}, {'vk': 1.0, 'sin': -20.0}), ({'i2': 1.0}, {'vk': 1.0, 'sin': 20.0})]
    return System(['i1', 'i2', 'iL', 'vk'], e, pairs, {'iL': 0.0}, 2*math.pi*50, 1e-4), \
        [0.096], ['iL', 'vk']


def transformer():
    """A bridge behind a transformer without leakage: what is integrated is the flux."""
    R1, R, C, G = 0.1, 50.0, 0.1, 1e-3
    e = [one({'v1': 1, "psi'": -1}), one({'v2': 1, 'v1': -2}), one({'psi': 1, 'i1': -1, 'i2': 2}),
         one({'v1': 1, 'sin': -10, 'i1': R1}), one({'v2': 1, 'va': -1, 'vb': 1}),
         one({'i2': 1, 'd3': 1, 'd1': -1, 'va': -G}), one({'d4': 1, 'd2': -1, 'i2': -1, 'vb': -G}),
         one({"vC'": C, 'd1': -1, 'd2': -1, 'vC': 1/R})]
    pairs = [({'d1': 1.0}, {'vC': 1.0, 'va': -1.0}), ({'d2': 1.0}, {'vC': 1.0, 'vb': -1.0}),
             ({'d3': 1.0}, {'va': 1.0}), ({'d4': 1.0}, {'vb': 1.0})]
    names = ['psi', 'i1', 'i2', 'v1', 'v2', 'vC', 'va', 'vb', 'd1', 'd2', 'd3', 'd4']
    return System(names, e, pairs, {'psi': 0.0, 'vC': 1.0}, 1.0, 0.02), [5.0, 10.0, 20.0], ['i1', 'i2', 'vC']


def line_coils():
    """Three phases with coils and no resistance but the load's: index 2 in each mode."""
    U, w, Ls, Ld, R = 100.0, 100*math.pi, 1e-3, 1e-2, 10.0
    names = [f'{n}{k}' for k in (1, 2, 3) for n in ('i', 'v', 'p', 'm')] + ['vp', 'vn', 'id']
    e, pairs = [], []
    for k in (1, 2, 3):
        a = 2*math.pi*(k - 1)/3
        e.append(one({f"i{k}'": Ls, f'v{k}': 1, 'sin': -U*math.cos(a), 'cos': U*math.sin(a)}))
        e.append(one({f'i{k}': 1, f'm{k}': 1, f'p{k}': -1}))
        pairs += [({f'p{k}': 1.0}, {'vp': 1.0, f'v{k}': -1.0}),
                  ({f'm{k}': 1.0}, {f'v{k}': 1.0, 'vn': -1.0})]
    e += [one({'i1': 1, 'i2': 1, 'i3': 1}), one({'p1': 1, 'p2': 1, 'p3': 1, 'id': -1}),
          one({"id'": Ld, 'vp': -1, 'vn': 1, 'id': R})]
    start = {'id': 0.0, 'i1': 0.0, 'i2': 0.0, 'i3': 0.0}
    return System(names, e, pairs, start, w, 0.02/w), [0.01, 0.05], ['id']


def stick_slip():
    """v = a - b, friction F from -1 to 1 by two pairs, on a spring that a source shakes."""
    e = [one({"x'": 1, 'v': -1}), one({"v'": 1, 'x': 0.4, 'F': 1, 'sin': -1.6}), one({'v': 1, 'a': -1, 'b': 1})]
    pairs = [({'a': 1.0}, {'one': 1.0, 'F': -1.0}), ({'b': 1.0}, {'one': 1.0, 'F': 1.0})]
    return System(['x', 'v', 'F', 'a', 'b'], e, pairs, {'x': 0.0, 'v': 0.0}, 1.3, 0.01), \
        [1.0, 3.0, 7.0, 20.0], ['x', 'v']


def charge_pump():
    """Four diodes and four capacitors behind a coil, whose current rests or not by the mode: where the third
    diode begins to conduct equations have to be differentiated that the mode before has not."""
    L, R, C = 0.05, 50.0, 0.3
    e = [one({"i'": L, 'sin': -5, 'u1': 1, 'n1': 1, 'i': 0.2}), one({"u1'": C, 'i': -1}),
         one({'i': 1, 'd1': 1, 'd2': -1, 'j3': -1}), one({"u2'": C, 'd2': -1, 'd3': 1, 'j4': 1}),
         one({"u3'": C, 'j3': -1}), one({'j3': 1, 'd3': 1, 'd4': -1}), one({"u4'": C, 'j4': -1}),
         one({'j4': 1, 'd4': 1, 'u2': -1/R, 'u4': 1/R}), one({'n3': 1, 'n1': -1, 'u3': 1})]
    pairs = [({'d1': 1.0}, {'n1': 1.0}), ({'d2': 1.0}, {'u2': 1.0, 'n1': -1.0}),
             ({'d3': 1.0}, {'n3': 1.0, 'u2': -1.0}), ({'d4': 1.0}, {'u2': 1.0, 'u4': -1.0, 'n3': -1.0})]
    names = ['i', 'u1', 'u2', 'u3', 'u4', 'n1', 'n3', 'j3', 'j4', 'd1', 'd2', 'd3', 'd4']
    start = {'i': 0.0, 'u1': 0.0, 'u2': 0.0, 'u3': 0.0, 'u4': 0.0}
    return System(names, e, pairs, start, 1.0, 0.02), [3.0, 8.0, 10.0], ['i', 'u1', 'u2', 'u3', 'u4']


def series_parallel_valves():
    """Two columns of water side by side, one behind them, each with inertia and a valve."""
    e = [one({"q1'": 0.1, 'q1': 0.05, 'p': 1, 'd1': -1, 'sin': -2}), one({"q2'": 0.3, 'p': 1, 'd2': -1, 'sin': -2}),
         one({"p'": 0.4, 'q1': -1, 'q2': -1, 'q3': 1}), one({"q3'": 0.2, 'q3': 0.1, 'p': -1, 'm': 1, 'd3': -1}),
         one({"m'": 1.0, 'q3': -1, 'm': 0.2})]
    pairs = [({f'q{k}': 1.0}, {f'd{k}': 1.0}) for k in (1, 2, 3)]
    start = {'p': 0.0, 'm': 0.5, 'q1': 0.0, 'q2': 0.0, 'q3': 0.0}
    return System(['p', 'm', 'q1', 'q2', 'q3', 'd1', 'd2', 'd3'], e, pairs, start, 2.0, 0.01), \
        [1.0, 3.0, 8.0], ['p', 'm', 'q1', 'q2', 'q3']


def converter(equations, start, periods, T, D, R):
    """Two systems, of the closed and the open switch, one after the other."""
    def build(closed):
        e, pairs = equations(closed)
        return System(['iL', 'u', 'id', 'vd', 'is'], e, pairs, start, 1.0, T/40)
    on, off = build(True), build(False)
    given, sides, out = {**start, 'one': 1.0, 'sin': 0.0, 'cos': 1.0}, (0,), []
    for k in range(periods):
        for s, length in ((on, D*T), (off, (1 - D)*T)):
            (values,), _ = s.run([length], 0.0, given, sides)
            sides, given = s.sides, s.held(s.last)
            given['sin'], given['cos'] = 0.0, 1.0
            out.append(values)
    return out


def buck(L, R, iL):
    E, C, T, D = 10.0, 1e-4, 1e-4, 0.4
    def equations(closed):
        switch = {'vd': 1, 'one': -E} if closed else {'is': 1}
        return [one(switch), one({'iL': 1, 'is': -1, 'id': -1}), one({"iL'": L*1e3, 'vd': -1e3, 'u': 1e3}),
                one({"u'": C*1e3, 'iL': -1e3, 'u': 1e3/R})], [({'id': 1.0}, {'vd': 1.0})]
    return converter(equations, {'iL': iL, 'u': 4.0}, 100, T, D, R)


def boost(L, R):
    E, C, T, D = 5.0, 1e-4, 1e-4, 0.4
    def equations(closed):
        switch = {'u': 1, 'vd': -1} if closed else {'is': 1}
        return [one(switch), one({'iL': 1, 'is': -1, 'id': -1}),
                one({"iL'": L*1e3, 'one': -E*1e3, 'u': 1e3, 'vd': -1e3}),
                one({"u'": C*1e3, 'id': -1e3, 'u': 1e3/R})], [({'id': 1.0}, {'vd': 1.0})]
    return converter(equations, {'iL': 0.5, 'u': 8.0}, 100, T, D, R)


def buck_boost(L, R):
    """The output is turned round: the coil is charged by E and emptied into u."""
    E, C, T, D = 5.0, 1e-4, 1e-4, 0.4
    def equations(closed):
        switch = {'vd': 1, 'one': -E, 'u': -1} if closed else {'is': 1}
        return [one(switch), one({'iL': 1, 'is': -1, 'id': -1}),
                one({"iL'": L*1e3, 'vd': -1e3, 'u': 1e3}),
                one({"u'": C*1e3, 'id': -1e3, 'u': 1e3/R})], [({'id': 1.0}, {'vd': 1.0})]
    return converter(equations, {'iL': 0.5, 'u': 4.0}, 100, T, D, R)


def starts(system, count=6):
    """Consistent values at given phases of the source and states; None: there are none."""
    out, seed = [], 1
    def draw(low, high):
        nonlocal seed
        seed = (seed*1103515245 + 12345) % 2**31
        return round(low + (high - low)*seed/2**31, 3)
    w = -system.base[-2]['cos']
    for _ in range(count):
        phase = draw(0, 6.28)
        given = {name: draw(-0.5, 2) for name in system.start}
        try:
            _, _, z = system.enter((0,)*len(system.pairs), {
                **given, 'one': 1.0, 'sin': math.sin(phase), 'cos': math.cos(phase)})
            values = {n: v for n, v in zip(system.names, z) if n not in ('one', 'sin', 'cos')}
        except ValueError:
            values = None
        out.append({'t': phase/w, 'given': given, 'values': values})
    return out


SYSTEMS = [half_bridge, full_bridge, three_phase_bridge, three_phase_bridge_from_rest, peak_detector,
           voltage_doubler, voltage_doubler_ideal, relief_valve, pump, pump_with_inertia, valves_in_parallel,
           pump_with_valve_pairs, pump_with_valve_pairs_and_inertia, pump_with_relief, relief_valves,
           blocked_diode, knee, centre_tapped, transformer, line_coils, stick_slip, charge_pump,
           series_parallel_valves]
# a contradiction among sixteen modes of index 2 and more takes a second to be told
WITHOUT_STARTS = [pump_with_valve_pairs_and_inertia, three_phase_bridge_from_rest, transformer, line_coils]


def main():
    out = {}
    for make in SYSTEMS:
        system, times, names = make()
        values, changes = system.run(times)
        out[make.__name__] = {'changes': changes, 'samples': [
            {'t': t, 'values': {n: v[n] for n in names}} for t, v in zip(times, values)],
            'starts': starts(make()[0]) if make not in WITHOUT_STARTS else []}
    for name, halves in (('buck', buck(1e-3, 5.0, 1.0)), ('buck_discontinuous', buck(1e-4, 50.0, 1.0)),
                         ('boost', boost(1e-3, 20.0)), ('boost_discontinuous', boost(1e-4, 200.0)),
                         ('buck_boost', buck_boost(1e-3, 20.0)),
                         ('buck_boost_discontinuous', buck_boost(1e-4, 200.0))):
        out[name] = {'samples': [{'t': 1e-2, 'values': {n: halves[-1][n] for n in ('iL', 'u')}}]}
    rows = ',\n'.join(f'{json.dumps(k)}: {json.dumps(v)}' for k, v in out.items())
    print(f'{{\n"about": "Made by complementarity.py.",\n"cases": {{\n{rows}\n}}\n}}')


if __name__ == '__main__':
    main()
