"""Random models whose slopes are constant between events, against their exact solution by
rational numbers: `if` of states, time and discrete variables, whens that assign to both.

An instant is judged by what holds just after it. A state that moves off its threshold
has the side to which it goes, one that stands there has that of the text. Models that are
not determined so are left out: of several modes, or of none; values that come to a
threshold and turn back, or that a when stops there, where rounding says on which side they
are; what is assigned twice. DAE_TEST_SHARE = n: an n-th of them."""

import itertools
import operator
import os
import random
from fractions import Fraction

from support import dae, main, write

SHARE = int(os.environ.get('DAE_TEST_SHARE', '1'))
MODELS = 4000
END = Fraction(5) + Fraction(3, 64)  # nothing happens there by design
TURNS_MOST = 60
ORDER = {'>': operator.gt, '>=': operator.ge, '<': operator.lt, '<=': operator.le}
SLOPES = [Fraction(s) for s in ('-2', '-1', '-1/2', '0', '0', '1/2', '1', '2')]


class Undetermined(Exception):
    """The rules above do not say what the model does."""


class Model:
    """slopes: [(slope, condition or None, slope if it is true, slope if it is not)] by state;
    whens: [(condition, [(state or 'd', value)])]. A condition is (state, 't' or 'd', relation,
    threshold)."""

    def __init__(self, rng, is_coarse):
        self.rng, self.is_coarse = rng, is_coarse
        self.states = rng.choice([1, 2, 2, 3])
        self.start = [self.number() for _ in range(self.states)]
        self.slopes = [(rng.choice(SLOPES), self.condition() if rng.random() < 0.6 else None,
                        rng.choice(SLOPES), rng.choice(SLOPES)) for _ in range(self.states)]
        self.whens = [(self.condition(), self.assignments()) for _ in range(rng.choice([1, 2, 2, 3]))]
        self.conditions = [c for _, c, _, _ in self.slopes if c]
        self.ifs = len(self.conditions)
        self.conditions += [c for c, _ in self.whens]

    def number(self, low=-2, high=2):
        """Halves, so that much happens at one time, or numbers that hardly meet."""
        if self.is_coarse:
            return Fraction(self.rng.randint(2*low, 2*high), 2)
        return Fraction(self.rng.randint(1000*low, 1000*high), 1000)

    def condition(self):
        kind = self.rng.random()
        if kind < 0.25:
            return 't', '>', self.number(0, 4) + Fraction(1, 8)
        if kind < 0.4:
            return 'd', '>', Fraction(1, 2)
        return self.rng.randrange(self.states), self.rng.choice(list(ORDER)), self.number()

    def assignments(self):
        found = {}
        for _ in range(self.rng.choice([1, 1, 2])):
            if self.rng.random() < 0.35:
                found['d'] = Fraction(self.rng.randint(0, 1))
            else:
                found[self.rng.randrange(self.states)] = self.number()
        return list(found.items())

    def text(self):
        def name(v):
            return f'x{v}' if isinstance(v, int) else v

        def condition(c):
            return f'{name(c[0])} {c[1]} {float(c[2])!r}'

        out = ''.join(f'var x{i} = {float(x)!r}\n' for i, x in enumerate(self.start)) + 'discrete d = 0\n'
        out += ''.join(f'discrete n{k} = 0\n' for k in range(len(self.whens)))
        for i, (slope, c, yes, no) in enumerate(self.slopes):
            chosen = f' + (if {condition(c)} then {float(yes)!r} else {float(no)!r})' if c else ''
            out += f"x{i}' = {float(slope)!r}{chosen}\n"
        for k, (c, assignments) in enumerate(self.whens):
            out += f'when {condition(c)}\n' + ''.join(
                f'  {name(v)} := {float(value)!r}\n' for v, value in assignments)
            out += f'  n{k} := n{k} + 1\nend\n'
        # nothing may ask for a `d` that is never assigned
        return out + f'when t > 100\n  d := 0\nend\nsolve t in 0..{float(END)!r}\n'


class Solution:
    def __init__(self, model):
        self.model, self.t, self.x, self.d = model, Fraction(0), list(model.start), Fraction(0)
        self.counts = [0]*len(model.whens)
        self.arrived = {}  # states that come to a threshold at this time, and how fast

    def value(self, v):
        return self.x[v] if isinstance(v, int) else self.t if v == 't' else self.d

    def slopes(self, truth):
        chosen = iter(truth)
        return [slope + (0 if not c else yes if next(chosen) else no)
                for slope, c, yes, no in self.model.slopes]

    def mode(self, has_fired):
        """(what is true just after this instant, the slopes): the one that holds."""
        def now(c):
            if isinstance(c[0], int) and self.x[c[0]] == c[2]:
                return None
            return self.t >= c[2] if c[0] == 't' else ORDER[c[1]](self.value(c[0]), c[2])

        conditions, found = self.model.conditions, []
        known = [now(c) for c in conditions]
        open_ones = [i for i, k in enumerate(known) if k is None]
        for guess in itertools.product([False, True], repeat=len(open_ones)):
            truth = list(known)
            for i, g in zip(open_ones, guess):
                truth[i] = g
            slopes = self.slopes(truth)
            if all(truth[i] == ORDER[conditions[i][1]](slopes[conditions[i][0]], 0) for i in open_ones):
                found.append((truth, slopes))
        if len(found) != 1:
            raise Undetermined
        truth, slopes = found[0]
        for v in [conditions[i][0] for i in open_ones]:
            on = slopes[v]*self.arrived.get(v, 1)
            if v in self.arrived and (on < 0 or (on == 0 and has_fired)):
                raise Undetermined
            if on == 0:
                self.arrived.pop(v, None)
        return truth, slopes

    def fire(self, before):
        """The mode after all whens that fire; `before`: what was true of them."""
        for turn in range(TURNS_MOST):
            truth, slopes = self.mode(turn > 0)
            truth = truth[self.model.ifs:]
            fired = [k for k, (is_true, was) in enumerate(zip(truth, before)) if is_true and not was]
            before, made = truth, {}
            for k in fired:
                self.counts[k] += 1
                for v, value in self.model.whens[k][1]:
                    if made.setdefault(v, value) != value:
                        raise Undetermined
            for v, value in made.items():
                if v == 'd':
                    self.d = value
                else:
                    self.x[v] = value
                    self.arrived.pop(v, None)
            if not fired:
                return before, slopes
            if sum(self.counts) > TURNS_MOST:
                break
        raise Undetermined

    def next_time(self, slopes):
        times = [END]
        for v, _, threshold in self.model.conditions:
            if v == 't':
                times.append(threshold)
            elif v != 'd' and slopes[v]:
                times.append(self.t + (threshold - self.x[v])/slopes[v])
        return min(t for t in times if t > self.t)

    def run(self):
        truth = [ORDER[c[1]](self.value(c[0]), c[2]) for c, _ in self.model.whens]
        while True:
            truth, slopes = self.fire(truth)
            t = self.next_time(slopes)
            self.x = [x + s*(t - self.t) for x, s in zip(self.x, slopes)]
            self.t = t
            self.arrived = {v: slopes[v] for v, _, threshold in self.model.conditions
                            if isinstance(v, int) and slopes[v] and self.x[v] == threshold}
            if t == END:
                return


def expectations(solution):
    out = ''.join(f'expect x{i} ~ {float(x)!r} within 1e-4 final\n' for i, x in enumerate(solution.x))
    out += ''.join(f'expect n{k} == {n} final\n' for k, n in enumerate(solution.counts))
    return out + f'expect d == {float(solution.d)!r} final\n'


def check(is_coarse):
    told = 0
    for seed in range(0, MODELS, SHARE):
        model = Model(random.Random(seed), is_coarse)
        solution = Solution(model)
        try:
            solution.run()
        except Undetermined:
            continue
        told += 1
        write('m.dae', model.text() + expectations(solution))
        try:
            for method in ('bdf', 'radau'):
                dae('run', 'm.dae', '--quiet', '--method', method, status=0)
        except AssertionError as e:
            raise AssertionError(f'seed {seed}\n{model.text()}{expectations(solution)}{e}') from e
    assert told > MODELS/SHARE/2, told


def test_where_much_happens_at_one_time():
    check(True)


def test_where_things_happen_apart():
    check(False)


main(globals())
