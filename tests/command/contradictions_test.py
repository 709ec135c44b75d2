"""Two hundred contradictions whose members are known: a pendulum, two rods,
capacitors in loops, linear conditions, ranges of functions, bounds. What is
named cannot hold together, each part of it without one member can, and a value
that a help frees leads to a start where it is a guess.

An oracle of each family tells in closed form, or by exact arithmetic, which
members hold together. Members are the lines of equations and conditions, with a
prime for each derivative, values by their names, bounds as `x>=`, `x<=`."""

import math
import random
import re
from fractions import Fraction

from support import EVERY, dae, main, write

# so many may be "not found", which claims nothing
UNSOLVED_MOST = 10
# names that helps freed, each tried
HELPS = []


class Case:
    def __init__(self, family, lines, can_hold):
        self.family = family
        self.lines = lines
        self.can_hold = can_hold  # of a set of members

    @property
    def text(self):
        return '\n'.join(self.lines) + '\n'


# ---- a pendulum ------------------------------------------------------------------


def holds_tangent(points, speeds):
    """x x' + y y' = 0 at one of the points; a speed that is None is free."""
    for point in points:
        left, is_free = 0.0, False
        for p, v in zip(point, speeds):
            if v is None:
                is_free = is_free or abs(p) > 1e-7
            else:
                left += p*v
        if is_free or abs(left) < 1e-7:
            return True
    return False


def points_on(r, x, y):
    """Of a circle: both given, one, or none (any of it: a general point)."""
    if x is not None and y is not None:
        return [(x, y)] if abs(x*x + y*y - r*r) < 1e-6*r*r else []
    if x is None and y is None:
        return None
    known = x if y is None else y
    if abs(known) > r*(1 + 1e-9):
        return []
    other = math.sqrt(max(r*r - known*known, 0))
    return [(x, s*other) if y is None else (s*other, y) for s in (1, -1)]


def pendulum_holds(r, values, lines, members):
    given = {n: values.get(n) if n in members else None
             for n in ('x', 'y', "x'", "y'")}
    x, y, speeds = given['x'], given['y'], (given["x'"], given["y'"])
    rod, prime = lines['rod'] in members, lines['rod'] + "'" in members
    points = points_on(r, x, y) if rod else None
    if rod and points == []:
        return False
    if not prime:
        return True
    if points is None and x is not None and y is not None:
        points = [(x, y)]
    if points is not None:
        return holds_tangent(points, speeds)
    if rod or (x is None and y is None) or None in speeds:
        return True  # the direction, or a coordinate, is free
    known, own, other = (x, *speeds) if y is None else (y, *reversed(speeds))
    return abs(other) > 0 or abs(known*own) < 1e-9


def pendulum(rng, kind):
    r = rng.choice([1, 0.3, 25, 400])
    a = rng.choice([(0.6, 0.8), (0.8, -0.6), (-0.28, 0.96)])
    v = rng.choice([0.3, -2, 15])
    values = {
        'off': {'x': r*a[0]*rng.choice([0.5, 0.99, 1.01]), 'y': r*a[1]},
        'beyond': {rng.choice('xy'): r*rng.choice([1.001, 1.5, -3])},
        'tangent': {'x': r*a[0], 'y': r*a[1], "x'": v, "y'": v},
        'turning': {'x': r, 'y': 0, "x'": v, "y'": 0},
        'stall': {'x': r, "x'": v},
        'fold': {'x': r*(1 + rng.choice([1e-4, 1e-3])), "y'": v},
    }[kind]
    guesses = {'x': 0.9*r, 'y': -0.5*r}
    var = ', '.join(f'{n} = {values[n]!r}' if n in values else f'{n} ~ {guesses[n]!r}'
                    for n in 'xy')
    lines = [f'var {var}, T'] + [f'init {n} = {values[n]!r}' for n in values
                                 if n.endswith("'")]
    lines += ["x'' = -T*x", "y'' = -9.81 - T*y", f'x^2 + y^2 = {r}^2']
    at = {'rod': str(len(lines))}
    return Case('pendulum ' + kind, lines,
                lambda s: pendulum_holds(r, values, at, s))


# ---- two rods --------------------------------------------------------------------


def linkage_holds(r, values, lines, members):
    g = {n: values.get(n) if n in members else None
         for n in ('x1', 'y1', 'x2', 'y2')}
    first, second = lines['one'] in members, lines['two'] in members
    points = points_on(r[0], g['x1'], g['y1']) if first else None
    if first and points == []:
        return False
    if not second:
        return True
    x2, y2 = g['x2'], g['y2']
    if points is None and g['x1'] is not None and g['y1'] is not None:
        points = [(g['x1'], g['y1'])]
    if points is not None:
        return any(points_on(r[1], None if x2 is None else x2 - x,
                             None if y2 is None else y2 - y) != []
                   for x, y in points)
    if first:  # anywhere on the circle
        most, least = r[0] + r[1], abs(r[0] - r[1])
        if x2 is not None and y2 is not None:
            return least <= math.hypot(x2, y2) <= most
        known = x2 if x2 is not None else y2
        return known is None or abs(known) <= most
    for n in 'xy':  # one coordinate of the first is free
        if g[n + '1'] is not None and g[n + '2'] is not None:
            return abs(g[n + '2'] - g[n + '1']) <= r[1]
    return True


def linkage(rng, kind):
    r = rng.choice([(1, 1), (2, 0.5), (0.3, 0.7)])
    by = rng.choice([1.01, 1.3, 2])
    values = {
        'beyond': {'x2': by*(r[0] + r[1])},
        'far': {'x2': 0.8*by*(r[0] + r[1]), 'y2': 0.6*by*(r[0] + r[1])},
        'apart': {'x1': -0.6*r[0], 'x2': -0.6*r[0] + by*r[1]},
        'off': {'x1': 0.6*r[0]*by, 'y1': 0.8*r[0]},
    }[kind]
    var = ', '.join(f'{n} = {values[n]!r}' if n in values else
                    f'{n} ~ {0.4 + 0.3*k}' for k, n in enumerate(('x1', 'y1', 'x2', 'y2')))
    lines = [f'var {var}, A, B',
             "x1'' = -A*x1 - B*(x1 - x2)", "y1'' = -9.81 - A*y1 - B*(y1 - y2)",
             "x2'' = -B*(x2 - x1)", "y2'' = -9.81 - B*(y2 - y1)",
             f'x1^2 + y1^2 = {r[0]}^2', f'(x2 - x1)^2 + (y2 - y1)^2 = {r[1]}^2']
    at = {'one': '6', 'two': '7'}
    return Case('linkage ' + kind, lines, lambda s: linkage_holds(r, values, at, s))


# ---- linear members ----------------------------------------------------------------


def is_solvable(rows):
    """Rows (coefficients by unknown, right side), by exact elimination."""
    rows = [({k: Fraction(v) for k, v in a.items()}, Fraction(b)) for a, b in rows]
    while rows:
        a, b = rows.pop()
        a = {k: v for k, v in a.items() if v}
        if not a:
            if b:
                return False
            continue
        pivot = next(iter(a))
        left = []
        for c, d in rows:
            by = c.get(pivot, 0)/a[pivot]
            keys = c.keys() | a.keys()
            left.append(({k: c.get(k, 0) - by*a.get(k, 0) for k in keys}, d - by*b))
        rows = left
    return True


def linear_holds(rows, members):
    return is_solvable([rows[m] for m in members if m in rows])


def capacitors(rng, _):
    """A tree of capacitors in parallel behind ideal transformers."""
    n = rng.randint(2, 7)
    lines = [f"v{k}' = i{k}" for k in range(1, n)]
    lines.append(f"v{n}' = " + ' '.join(f'- i{k}' for k in range(1, n)))
    rows = {}
    for k in range(2, n + 1):
        j, by = rng.randint(1, k - 1), rng.choice([1, 2, 3, Fraction(1, 2)])
        lines.append(f'v{k} = {float(by)}*v{j}')
        rows[str(len(lines) + 1)] = ({f'v{k}': 1, f'v{j}': -by}, 0)
    given = {}
    while linear_holds(rows, rows) or len(given) < 2:
        name = f'v{rng.randint(1, n)}'
        given[name] = rng.randint(1, 9)
        rows[name] = ({name: 1}, given[name])
        if len(given) == n and linear_holds(rows, rows):
            given.clear()
            rows = {k: v for k, v in rows.items() if not k.startswith('v')}
    var = ', '.join(f'v{k} = {given[f"v{k}"]}' if f'v{k}' in given else f'v{k}'
                    for k in range(1, n + 1))
    currents = ''.join(f', i{k}' for k in range(1, n))
    return Case('capacitors', [f'var {var}{currents}'] + lines,
                lambda s: linear_holds(rows, s))


def conditions(rng, _):
    """One linear condition more than hold together, on states of an ODE."""
    n = rng.randint(2, 5)
    names = [f'x{k}' for k in range(1, n + 1)]
    point = {k: rng.randint(-4, 4) for k in names}
    lines = ['var ' + ', '.join(names)]
    rows = {}
    while True:
        some = rng.sample(names, min(n, rng.randint(2, 3)))
        a = {k: rng.choice([-3, -2, -1, 1, 2, 3]) for k in some}
        b = sum(v*point[k] for k, v in a.items())
        key = str(len(lines) + 1)
        is_last = not linear_holds({**rows, key: (a, b + 1)}, [*rows, key])
        b += is_last
        rows[key] = (a, b)
        lines.append('init ' + ' '.join(f'{v:+d}*{k}' for k, v in a.items()) + f' = {b}')
        if is_last:
            break
    lines += [f"{k}' = -{k}" for k in names]
    return Case('conditions', lines, lambda s: linear_holds(rows, s))


# ---- ranges of functions --------------------------------------------------------------


RANGES = [  # a function of y and the values that it does not take
    ('y^2 + 2', (1.9, 1, -30)), ('exp(y)', (-0.1, -1, -50)),
    ('sin(y)', (1.01, 2, -7)), ('abs(y) - 1', (-1.1, -5)),
    ('y^4 - 2*y^2', (-1.01, -4)), ('cosh(y)', (0.99, 0, -3)),
    ('sqrt(y^2 + 1)', (0.9, -2)), ('3 - (y - 1)^2', (3.1, 8)),
]


def out_of_range(rng, _):
    formula, values = rng.choice(RANGES)
    z = rng.choice(values)
    guess = rng.choice([0.5, -1.3, 2])
    shift = rng.randint(-3, 3)
    lines = [f'var z = {z + shift!r}, y ~ {guess}, u', "z' = -z"]
    members = {'z'}
    if rng.random() < 0.5:  # by an intermediate unknown
        lines += [f'u = {formula}', f'u + {shift} = z']
        members |= {'3', '4'}
    else:
        lines += [f'{formula} + {shift} = z', 'u = y - z']
        members |= {'3'}
    return Case('range ' + formula, lines, lambda s: not members <= s)


# ---- bounds --------------------------------------------------------------------------


def bounds(rng, kind):
    """y = a - b z and w = y + c, one of them out of its bound."""
    z, b, c = rng.randint(1, 5), rng.randint(1, 3), rng.randint(-2, 2)
    a = b*z + rng.choice([-1, -4, 3])
    y, w = a - b*z, a - b*z + c
    low, high = '{min=%g}', '{max=%g}'
    if kind == 'below':
        y_bound, w_bound, members = low % (y + 0.5), '', {'z', '3', 'y>='}
    elif kind == 'above':
        y_bound, w_bound, members = high % (y - 0.25), '', {'z', '3', 'y<='}
    else:
        y_bound, w_bound, members = '', low % (w + 2), {'z', '3', '4', 'w>='}
    lines = [f'var z = {z}, y {y_bound}, w {w_bound}', "z' = -z",
             f'y = {a} - {b}*z', f'w = y + {c}']
    return Case('bounds ' + kind, lines, lambda s: not members <= s)


# ---- what is said ------------------------------------------------------------------------


FAMILIES = [
    (pendulum, ('off', 'beyond', 'tangent', 'turning', 'stall', 'fold'), 55),
    (linkage, ('beyond', 'far', 'apart', 'off'), 35),
    (capacitors, ('',), 35), (conditions, ('',), 30),
    (out_of_range, ('',), 25), (bounds, ('below', 'above', 'behind'), 20),
]


def cases():
    rng = random.Random(20261123)
    for family, kinds, count in FAMILIES:
        for k in range(count):
            yield family(rng, kinds[k % len(kinds)])


def member(party):
    if 'bound' in party:
        return party['name'] + {'minimum': '>=', 'maximum': '<='}[party['bound']]
    if 'residual' in party:
        return str(party['line']) + "'"*(party.get('differentiated') or 0)
    return party['name']


def faults_of_set(case, named):
    if not named:
        yield 'no set is named'
    elif case.can_hold(named):
        yield f'{sorted(named)} can hold'
    else:
        for one in sorted(named):
            if not case.can_hold(named - {one}):
                yield f'{sorted(named)} is more than needed: {one}'


def freed(case, name):
    """The text with the value of `name` as a guess."""
    text = case.text
    if name.endswith("'"):
        return re.sub(rf"init {name} = ", f'init {name} ~ ', text)
    return re.sub(rf'(var .*\b{name}) = ', r'\1 ~ ', text, count=1)


def faults_of_help(case, document):
    for d in document['diagnostics']:
        for text in d['notes']:
            if not text.startswith('help: free '):
                continue
            for name in re.findall(r"`(\w+'*) ~ [^`]*`", text):
                write('freed.dae', freed(case, name))
                again = dae('check', 'freed.dae', '--json', '--no-times')
                HELPS.append(name)
                verdict = again.json['initial']['verdict']
                if verdict not in ('consistent', 'underdetermined'):
                    yield f'freeing {name} does not help: {verdict}'


def faults_of_proof(document):
    """Only what is proved is called a contradiction."""
    first = document['diagnostics'][0]['message']
    is_said = not first.startswith('no values were found')
    if document['initial']['proved'] != is_said:
        yield f'proved: {document["initial"]["proved"]}, but: {first}'


def judge(case):
    write('case.dae', case.text)
    result = dae('check', 'case.dae', '--json', '--no-times')
    if result.status == 4:
        return None
    if result.status != 1:
        return [f'exit {result.status}: {result.err[:300]}']
    document = result.json
    initial = document['initial']
    if initial['verdict'] != 'inconsistent':
        return [f'verdict {initial["verdict"]}']
    named = {member(p) for p in initial['conflicts']}
    return [*faults_of_set(case, named), *faults_of_proof(document),
            *faults_of_help(case, document)]


def test_sets_cannot_hold_and_their_parts_can():
    unsolved, faults = [], []
    all_cases = list(cases())
    assert len(all_cases) == 200
    for k, case in enumerate(all_cases):
        if k % EVERY:
            continue
        found = judge(case)
        if found is None:
            unsolved.append(case.family)
        else:
            faults += [f'{case.family}, number {k}: {f}\n{case.text}' for f in found]

    assert not faults, f'{len(faults)} faults\n' + '\n'.join(faults)
    assert len(unsolved) <= UNSOLVED_MOST, unsolved
    assert EVERY > 1 or len(HELPS) > 150, len(HELPS)


def test_the_oracles_know_contradictions():
    """All members together hold in no case; without any they do."""
    for case in cases():
        lines = [str(k + 1) for k in range(len(case.lines))]
        names = set(re.findall(r"\b([a-zA-Z]\w*'*)", case.text))
        everything = {*lines, *(n + "'" for n in lines), *names,
                      *(n + s for n in names for s in ('>=', '<='))}
        assert not case.can_hold(everything), case.text
        assert case.can_hold(set()), case.text


main(globals())
