"""Can some equations, some of them differentiated, hold together with some
given values? Asked of a solver that shares nothing with the one under test:
truncated Taylor series in complex numbers, derivatives by steps into the
imaginary plane, Levenberg's and Marquardt's method from many places."""

import cmath
import math
import random
import re

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)"
                   r"|([^\W\d]\w*)('*)|(\^)|([-+*/(),=]))")
STEP = 1e-30
STARTS = 60
ITERATIONS = 120
FACTORIALS = [math.factorial(k) for k in range(30)]
# of what the slots' sizes make of a row: holds, or does not
HOLDS, FAILS = 1e-9, 1e-5


# ---- series -------------------------------------------------------------------

class Series:
    """Coefficients of powers of the time since the start."""

    __slots__ = ('c',)

    def __init__(self, c):
        self.c = c

    def derivative(self):
        return Series([(k + 1) * a for k, a in enumerate(self.c[1:])])

    def __neg__(self):
        return Series([-a for a in self.c])

    def __add__(self, other):
        if isinstance(other, Series):
            return Series([a + b for a, b in zip(self.c, other.c)])
        return Series([self.c[0] + other] + self.c[1:])

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        if not isinstance(other, Series):
            return Series([other * a for a in self.c])
        a, b = self.c, other.c
        return Series([sum(a[j] * b[k - j] for j in range(k + 1))
                       if k else a[0] * b[0]
                       for k in range(min(len(a), len(b)))])

    def __truediv__(self, other):
        if not isinstance(other, Series):
            return Series([a / other for a in self.c])
        b, q = other.c, []
        for k in range(min(len(self.c), len(b))):
            done = sum(q[j] * b[k - j] for j in range(k))
            q.append((self.c[k] - done) / b[0])
        return Series(q)

    def __pow__(self, other):
        if isinstance(other, Series):
            return exp(log(self) * other)
        if other == int(other) and other >= 0:
            power = lift(1, self)
            for _ in range(int(other)):
                power = power * self
            return power
        return exp(log(self) * other)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return lift(other, self) / self

    def __rpow__(self, other):
        return exp(self * math.log(other))


def lift(value, like):
    return Series([value] + [0] * (len(like.c) - 1))


def integrated(first, slope):
    return Series([first] + [a / (k + 1) for k, a in enumerate(slope)])


def exp(u):
    if not isinstance(u, Series):
        return cmath.exp(u)
    out = [cmath.exp(u.c[0])]
    for k in range(1, len(u.c)):
        out.append(sum(j * u.c[j] * out[k - j] for j in range(1, k + 1)) / k)
    return Series(out)


def log(u):
    if not isinstance(u, Series):
        return cmath.log(u)
    slope = (u.derivative() / Series(u.c[:-1])).c if len(u.c) > 1 else []
    return integrated(cmath.log(u.c[0]), slope)


def sqrt(u):
    return cmath.sqrt(u) if not isinstance(u, Series) else exp(log(u) * 0.5)


def circular(u):
    s, c = [cmath.sin(u.c[0])], [cmath.cos(u.c[0])]
    for k in range(1, len(u.c)):
        s.append(sum(j * u.c[j] * c[k - j] for j in range(1, k + 1)) / k)
        c.append(-sum(j * u.c[j] * s[k - j] for j in range(1, k + 1)) / k)
    return s, c


def sin(u):
    return cmath.sin(u) if not isinstance(u, Series) else Series(circular(u)[0])


def cos(u):
    return cmath.cos(u) if not isinstance(u, Series) else Series(circular(u)[1])


def tan(u):
    return sin(u) / cos(u)


FUNCTIONS = {'exp': exp, 'log': log, 'sqrt': sqrt, 'sin': sin, 'cos': cos,
             'tan': tan, 'pi': math.pi}


# ---- equations ----------------------------------------------------------------

class System:
    """Equations by name over unknowns and numbers, from time t0 on."""

    def __init__(self, equations, unknowns, numbers, t0):
        self.unknowns, self.t0 = set(unknowns), t0
        self.names = {**FUNCTIONS, **numbers}
        self.code = {n: self.compiled(e) for n, e in equations.items()}

    def compiled(self, text):
        out, at = ['('], 0
        while at < len(text.rstrip()):
            number, name, primes, power, sign = TOKEN.match(text, at).groups()
            if name in self.unknowns:
                out.append(f'of({name!r}, {len(primes)})')
            elif sign == '=':
                out.append(')-(')
            else:
                out.append('**' if power else number or name or sign)
            at = TOKEN.match(text, at).end()
        return compile(''.join(out) + ')', text, 'eval')

    def value(self, row, of):
        """Derivative k of the equation; of(x, q): the series of derivative q of x."""
        name, k = row
        scope = self.names
        scope['of'] = of
        scope['t'] = Series(([self.t0, 1] + [0] * k)[:k + 1])
        value = eval(self.code[name], scope)
        value = value.c[k] if isinstance(value, Series) else value * (k == 0)
        return value * FACTORIALS[k]

    def residual(self, row, z):
        k = row[1]
        return self.value(row, lambda x, q: Series(
            [z.get((x, q + j), 0) / FACTORIALS[j] for j in range(k + 1)]))

    def asked(self, row, z):
        """The slots that the residual is of."""
        slots = set()

        def of(x, q):
            slots.update((x, q + j) for j in range(row[1] + 1))
            return Series([z.get((x, q + j), 0) / FACTORIALS[j]
                           for j in range(row[1] + 1)])

        self.value(row, of)
        return slots


def party(name, unknowns):
    """("x", 1) for x': a slot of an unknown, or a derived equation."""
    base = name.rstrip("'")
    return base, len(name) - len(base), base in unknowns


# ---- Levenberg and Marquardt --------------------------------------------------

def solved(matrix, right):
    """A square system, by elimination with pivots in its columns."""
    n = len(right)
    a = [row[:] + [right[i]] for i, row in enumerate(matrix)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[best] = a[best], a[k]
        for i in range(k + 1, n):
            by = a[i][k] / a[k][k]
            for j in range(k, n + 1):
                a[i][j] -= by * a[k][j]
    for k in reversed(range(n)):
        a[k][n] = (a[k][n] - sum(a[k][j] * a[j][n]
                                 for j in range(k + 1, n))) / a[k][k]
    return [a[k][n] for k in range(n)]


def residuals(system, rows, z):
    return [complex(system.residual(r, z)).real for r in rows]


def jacobian(system, rows, z, free, asked):
    """By rows; the imaginary part of what a step of 1e-30 makes."""
    matrix = []
    for r in rows:
        line = []
        for slot in free:
            if slot not in asked[r]:
                line.append(0.0)
                continue
            value = system.residual(r, {**z, slot: z[slot] + STEP * 1j})
            line.append(complex(value).imag / STEP)
        matrix.append(line)
    return matrix


def misfit(res, sizes):
    return max((abs(r) / s for r, s in zip(res, sizes)), default=0)


def descend(system, rows, z, free, asked, size):
    """The largest residual, by what the sizes make of the row, at a minimum."""
    z, mu = dict(z), 1e-2
    res = residuals(system, rows, z)
    for _ in range(ITERATIONS):
        matrix = jacobian(system, rows, z, free, asked)
        sizes = [max([abs(a) * size[s] for a, s in zip(line, free)] + [1e-300])
                 for line in matrix]
        if not free or misfit(res, sizes) < HOLDS:
            break
        a = [[v * size[s] / w for v, s in zip(line, free)]
             for line, w in zip(matrix, sizes)]
        b = [r / w for r, w in zip(res, sizes)]
        n = len(free)
        normal = [[sum(row[i] * row[j] for row in a) for j in range(n)]
                  for i in range(n)]
        right = [-sum(row[i] * v for row, v in zip(a, b)) for i in range(n)]
        for _ in range(12):
            damped = [[v + (mu + 1e-15) * (i == j) for j, v in enumerate(row)]
                      for i, row in enumerate(normal)]
            step = solved(damped, right)
            trial = {**z, **{s: z[s] + d * size[s]
                             for s, d in zip(free, step)}}
            new = residuals(system, rows, trial)
            if sum((r / w)**2 for r, w in zip(new, sizes)) < sum(
                    v * v for v in b):
                z, res, mu = trial, new, mu / 10
                break
            mu = max(mu, 1e-12) * 10
        else:
            break
    return misfit(res, sizes), z


def least_misfit(system, rows, given, point, others=()):
    """Over many starts: near the point, and farther and farther from it."""
    asked = {r: system.asked(r, point) for r in rows}
    slots = sorted(set().union(*asked.values()) if asked else [])
    free = [s for s in slots if s not in given]
    best, best_z = math.inf, None
    scale = {s: max(abs(point.get(s, 0)), 1e-3) for s in slots}
    for number in range(STARTS + len(others)):
        r = random.Random(number)
        z = {s: point.get(s, 0.0) for s in slots}
        if number < len(others):
            z.update({s: v for s, v in others[number].items() if s in z})
        else:
            far = 10**(-2 + 3.5 * (number - len(others)) / STARTS)
            for s in free:
                z[s] += far * (scale[s] + (number % 2)) * r.uniform(-1, 1)
        z.update({s: v for s, v in given.items() if s in z})
        size = {s: max(abs(z[s]), scale[s]) for s in slots}
        try:
            left, at = descend(system, rows, z, free, asked, size)
        except (ArithmeticError, ValueError):
            continue
        if left < best:
            best, best_z = left, at
        if best < HOLDS:
            break
    return best, best_z


# ---- sets ---------------------------------------------------------------------

def faults_of(system, names, values, point):
    """What is wrong with a smallest set that is said to contradict itself:
    that it holds, or that it does not without one of its members."""
    rows, given = [], {}
    for n in names:
        base, k, is_unknown = party(n, system.unknowns)
        if is_unknown:
            given[(base, k)] = values[n]
        else:
            rows.append((base, k))
    faults, places = [], []
    for r in rows:
        left, z = least_misfit(system, [q for q in rows if q != r], given, point)
        if left > HOLDS:
            faults.append(r[0] + "'" * r[1] + ' is needless')
        places += [z] if z else []
    for s in given:
        rest = {q: v for q, v in given.items() if q != s}
        left, z = least_misfit(system, rows, rest, point, places)
        if left > HOLDS:
            faults.append('the value of ' + s[0] + "'" * s[1] + ' is needless')
        places += [z] if z else []
    left, _ = least_misfit(system, rows, given, point, places)
    if left < FAILS:
        faults.append(f'they hold together but for {left:.1e}')
    return faults
