"""Motions in phases, each a closed form, checked before they are written down.

A case is a list of phases; each gives every variable as a function of time, the
right sides that these functions must satisfy, and a guard that is positive
inside the phase and 0 at its end. `beside` are times at which a condition turns
and nothing comes of it, `rests` conditions that compare equal values for a whole
phase: rounding alone says on which side they are. `finish` asks all of that with 50 digits: the
derivatives by mpmath's own numerical differentiation, the guard at 60 places of
each phase, and that whatever no event changes is continuous."""

from mpmath import diff, mp, mpf, nstr

mp.dps = 50
DIGITS = 25
CLOSE = mpf(10)**-30


def near(a, b, what, tolerance=CLOSE):
    size = 1 + max(abs(a), abs(b))
    assert abs(a - b) <= tolerance*size, f'{what}: {nstr(a, 20)}, {nstr(b, 20)}'


class Case:
    def __init__(self, name, model, t=0):
        self.name, self.model = name, model
        self.t = mpf(t)
        self.y, self.events, self.samples = None, [], []
        self.beside, self.rests = [], []

    def phase(self, t_end, y, rates, guard=None, label=None, jump=None,
              counts=None):
        """`y`: variable -> function of t from here to t_end. `rates`: variable
        -> function of (t, values). `guard`: function of (t, values). At t_end
        the event `label`; `jump`: variable -> value after it; `counts`:
        discrete variables after it."""""
        t_end = mpf(t_end)
        assert t_end > self.t, (self.name, self.t, t_end)
        self.check_start(y)
        self.check_rates(t_end, y, rates)
        if guard:
            self.check_guard(t_end, y, guard)
        before = {n: f(t_end) for n, f in y.items()}
        after = {**before, **(jump or {})}
        self.events.append((t_end, label, before, after, counts or {}))
        self.samples.append(((self.t + t_end)/2, y))
        self.t, self.y, self.values = t_end, y, after

    def begin(self, label, before, jump, counts=None):
        """The event `label` at the consistent start, from the values `before`."""
        before = {n: mpf(v) for n, v in before.items()}
        after = {**before, **jump}
        self.events.append((self.t, label, before, after, counts or {}))
        self.y, self.values = {}, after
        self.start = before

    def check_start(self, y):
        if self.y is None:
            self.values = {n: f(self.t) for n, f in y.items()}
            self.start = dict(self.values)
        for n in y:
            near(y[n](self.t), self.values[n], f'{self.name}: {n} begins a phase')

    def check_rates(self, t_end, y, rates):
        for part in mpf('0.13'), mpf('0.5'), mpf('0.81'):
            t = self.t + part*(t_end - self.t)
            values = {n: f(t) for n, f in y.items()}
            for n, rate in rates.items():
                near(diff(y[n], t), rate(t, values), f'{self.name}: {n} at {t}',
                     mpf(10)**-18)

    def check_guard(self, t_end, y, guard):
        at = lambda t: guard(t, {n: f(t) for n, f in y.items()})
        near(at(t_end), mpf(0), f'{self.name}: the guard at {t_end}')
        for k in range(1, 60):
            t = self.t + (t_end - self.t)*k/60
            assert at(t) > 0, f'{self.name}: the guard at {nstr(t, 20)}'

    def finish(self, t_end, y, rates, guard=None, discretes=None):
        """The last phase, to the end of the run; `guard` stays positive."""
        t_end = mpf(t_end)
        self.check_start(y)
        self.check_rates(t_end, y, rates)
        if guard:
            for k in range(1, 61):
                t = self.t + (t_end - self.t)*k/60
                assert guard(t, {n: f(t) for n, f in y.items()}) > 0, self.name
        final = {n: f(t_end) for n, f in y.items()}
        return self.document(t_end, final, discretes)

    def stop(self, discretes=None):
        """The run ends with the last event, by `stop`."""
        return self.document(self.t, self.values, discretes)

    def document(self, t_end, final, discretes):
        return {
            'model': self.model,
            'events': [{'t': text(t), 'label': label, 'before': texts(before),
                        'after': texts({**after, **counts})}
                       for t, label, before, after, counts in self.events],
            'samples': [{'t': text(t),
                         'values': texts({n: f(t) for n, f in y.items()})}
                        for t, y in self.samples],
            'final': {'t': text(t_end),
                      'values': texts({**final, **(discretes or {})})},
            'beside': [text(t) for t in self.beside],
            'rests': self.rests}


def text(x):
    x = mpf(x)
    if abs(x) < mpf(10)**-40:  # what rounding leaves of a zero
        return '0.0'
    return nstr(x, DIGITS, min_fixed=-5, max_fixed=20)


def texts(values):
    return {n: text(v) for n, v in values.items()}


def root(f, a, b):
    """The place between a and b where f changes its sign, to all digits."""
    a, b = mpf(a), mpf(b)
    fa, fb = f(a), f(b)
    assert fa*fb < 0, (fa, fb)
    for _ in range(30):
        m = (a + b)/2
        fm = f(m)
        if (fm < 0) == (fa < 0):
            a, fa = m, fm
        else:
            b, fb = m, fm
    x = (a + b)/2
    for _ in range(8):
        x -= f(x)/diff(f, x)
    assert a - CLOSE <= x <= b + CLOSE, (a, x, b)
    return x


def oscillation(t0, x, v, w, centre=0):
    """x'' = -w^2 (x - centre) from (x, v) at t0: place and speed."""
    from mpmath import cos, sin
    a = x - centre
    return (lambda t: centre + a*cos(w*(t - t0)) + v/w*sin(w*(t - t0)),
            lambda t: -a*w*sin(w*(t - t0)) + v*cos(w*(t - t0)))


def fall(t0, h, v, g):
    """h'' = -g from (h, v) at t0."""
    return (lambda t: h + v*(t - t0) - g*(t - t0)**2/2,
            lambda t: v - g*(t - t0))


def relaxation(t0, x, rate, towards):
    """x' = -rate (x - towards)."""
    from mpmath import exp
    return lambda t: towards + (x - towards)*exp(-rate*(t - t0))
