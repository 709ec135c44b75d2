"""Every model of the library above index 1, run from its text to its reference
at three tolerances, as accuracy_test.c does it up to index 1.

    higher_index_test.py DAE ROOT [slow|table]

The cases are the models that say `expect index == 2` or more and have a `solve`
line, and those of MORE: a new model is a case without being named here. A run
has rtol = 1e-4, 1e-6 and 1e-8; atol is to rtol as in the model's own `solve`.

Error: every `expect UNKNOWNS ~ VALUE within ... at T | final | always`, as
|difference|/(rtol |VALUE| + atol); of all values of one time the root of the
mean square has to be below 100, times a factor of GROWTH. The
values are references of other origin (the model's head says which); the bound
behind `within` belongs to the model's own tolerance and is not used.
Expectations about an `output` of the model are left out: those are constraints,
or an energy, which are compared below or by the model's own test.

Constraints: each equation that is differentiated and holds no derivative, and
each hidden one that `dae check` tells, at every accepted step, as
|difference of the sides|/(rtol * sum of its terms' sizes + atol), below 10;
those with the highest derivative of an unknown like the others. A hidden
constraint about a derivative that stands in no equation has no value in a run
and is left out; so is one that `dae check` gives the beginning of.

`table` prints the rows of docs/problems.md instead."""

import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

RTOLS = 1e-4, 1e-6, 1e-8
ERROR, VIOLATION = 100, 10

# Without an `expect index`: of deficient rank, or of an index that is not
# certified.
# The pendulum held by its acceleration only has index 1, and needs a factor.
MORE = ['mechanics/platform_three_rods.dae', 'mechanics/chained_pendula_long.dae',
        'mechanics/pendulum_acceleration.dae']

SLOW = {'chained_pendula_seven', 'fekete', 'fekete_second_order',
        'pendulum_turning', 'ring_modulator_limit', 'chained_pendula_long'}

# What the problem makes of an error, by time: the factors to multiply ERROR by
# from these times on. Most are measured by tests/data/reference/growth.c, apart
# from this solver, as those of accuracy_cases.c.
PENDULUM = [(0, 5.8)]
GROWTH = {
    'pendulum': PENDULUM,
    'pendulum_preferred_state': PENDULUM,
    'pendulum_second_order': PENDULUM,
    'pendulum_square_root': PENDULUM,
    'pendulum_stabilized': PENDULUM,
    # nothing holds the length, nor its rate
    'pendulum_velocity': [(0, 26)],
    'pendulum_acceleration': [(0, 148)],
    'double_pendulum_level': [(0, 5.5)],
    # what RADAU5 leaves in speeds at 1e-8, told the index of each unknown
    'car_axis': [(0, 30)],
    # what DASPK leaves at 1e-9; the phase is never forgotten
    'pendulum_turning': [(0, 170), (50, 8e4)],
}


def run(*words, timeout=1000):
    return subprocess.run([DAE, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=timeout, text=True)


def statements(text):
    """A model's statements, one string each, with its brackets closed."""
    found, depth = [''], 0
    for line in text.split('\n'):
        code = re.sub(r'"[^"]*"|#.*', '', line)
        found[-1] += line
        depth += len(re.findall(r'[(\[]', code))
        depth -= len(re.findall(r'[)\]]', code))
        found += [''] if depth <= 0 else []
        found[-1] += '' if depth <= 0 else '\n'
    return found


def split(text, marks):
    """Where one of the marks stands outside of brackets: the parts."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        depth += (text[i] in '([') - (text[i] in ')]')
        mark = next((m for m in marks if text.startswith(m, i)), None)
        if not depth and mark and i > start:
            parts.append(text[start:i])
            i += len(mark)
            start = i
        else:
            i += 1
    return [p.strip() for p in parts + [text[start:]]]


def terms(text):
    """The terms of a sum, also of sums in brackets within it."""
    found = []
    for part in split(text, (' + ', ' - ')):
        inner = re.fullmatch(r'-?\s*\((.*)\)', part, re.S)
        if inner and all(x >= 0 for x in depths(inner.group(1))):
            found += terms(inner.group(1))
        else:
            found.append(part)
    return found


def depths(text):
    depth = 0
    for c in text:
        depth += (c == '(') - (c == ')')
        yield depth


def derivatives(text):
    for name, ticks in re.findall(r"([A-Za-z_]\w*(?:\[[\d,]+\])?)('+)", text):
        yield name, len(ticks)
    for name, order in re.findall(r'der\(([^()]*), (\d+)\)', text):
        yield name, int(order)


class Case:
    def __init__(self, path):
        self.name = os.path.basename(path)[:-len('.dae')]
        with open(path, encoding='utf-8') as file:
            self.parts = statements(file.read())
        solve = next(p for p in self.parts if p.startswith('solve'))
        rtol, atol = re.search(r'rtol = (\S+?), atol = (\S+)', solve).groups()
        self.ratio = float(atol)/float(rtol)
        self.end = float(re.search(r'\.\.\s*(\S+?),', solve).group(1))
        outputs = {name for p in self.parts if p.startswith('output')
                   for name in re.findall(r'(\w+) =', p)}
        self.expected = []  # (left, right, time or 'always')
        for part in self.parts:
            found = re.fullmatch(r'expect (.*?) ~ (.*) within .*? '
                                 r'(at (\S+)|final|always)', part, re.S)
            if found and found.group(1) not in outputs:
                when = found.group(4) or found.group(3)
                self.expected.append((found.group(1), found.group(2),
                                      'always' if when == 'always' else
                                      self.end if when == 'final' else
                                      float(when)))
        self.find_constraints(path)

    def find_constraints(self, path):
        check = json.loads(run('check', '--json', path).stdout)
        listing = run('show', '--equations', path).stdout
        structure = check['structure']
        self.index = structure['index']
        orders = {name: int(order) for name, order in
                  re.findall(r'^  (\S+): order (\d+)', listing, re.M)}
        offsets = structure['equation_offsets']
        found = [(label, text) for label, text in
                 re.findall(r'^  (\S+): (.* = 0)$', listing, re.M)
                 if offsets.get(label) and not list(derivatives(text))]
        found += [(c['equation'] + "'"*c['differentiated'], c['text'])
                  for c in check['hidden_constraints']
                  if not c['text'].endswith('...')]
        self.constraints = [
            c for c in found
            if all(n <= orders.get(name, n) for name, n in derivatives(c[1]))]
        # a definition has a slope in it where it is as high as any unknown
        highest = max(orders.values())
        inputs = {name for p in self.parts if p.startswith('input')
                  for name in re.findall(r'(\w+) =', p)}
        self.with_slope = {
            label for label, text in self.constraints
            if any(n >= orders.get(name, highest) and name not in inputs
                   for name, n in derivatives(text))}

    def text(self, rtol):
        """The model with a column for each difference in tolerances."""
        atol = rtol*self.ratio
        out = [p for p in self.parts if not p.startswith('expect')]
        for i, (left, right, _) in enumerate(self.expected):
            miss = (f'abs(({left}) - ({right}))'
                    f'/({rtol!r}*abs({right}) + {atol!r})')
            out.append(f'output miss{i} = ' + (
                f'max({miss})' if right.startswith('[') else miss))
        for i, (_, text) in enumerate(self.constraints):
            left, right = split(text, (' = ',))
            size = ' + '.join(f'abs({t})' for t in terms(left) + terms(right))
            out.append(f'output gap{i} = abs(({left}) - ({right}))'
                       f'/({rtol!r}*({size}) + {atol!r})')
        return '\n'.join(out) + '\n'

    def write(self, rtol):
        """Writes the model, without what has no value in it."""
        for _ in range(100):
            with open('m.dae', 'w', encoding='utf-8') as file:
                file.write(self.text(rtol))
            said = run('show', '--equations', 'm.dae')
            asked = re.findall('asked for by `(.*?)`', said.stdout + said.stderr)
            if not asked:
                break
            self.constraints = [
                (label, text) for i, (label, text) in enumerate(self.constraints)
                if f'gap{i}' not in asked and not any(a in text for a in asked)]


class Outcome:
    def __init__(self, case, rtol):
        case.write(rtol)
        tolerances = ('--rtol', repr(rtol), '--atol', repr(rtol*case.ratio))
        steps, self.report = rows(*tolerances, '--all-steps')
        inside = {w for *_, w in case.expected
                  if w != 'always' and 0 < w < case.end}
        points = {}
        if inside:
            grid, _ = rows(*tolerances, '--every', repr(every(inside)))
            points = {round(float(r['t']), 9): r for r in grid}
        points[0.0], points[case.end] = steps[0], steps[-1]
        self.values = []  # (tolerances, name, time)
        self.errors = []  # (their mean square's root, time)
        times = sorted({w for *_, w in case.expected if w != 'always'})
        for when in [*times, 'always']:
            seen = steps if when == 'always' else [points[round(when, 9)]]
            asked = [(f'miss{i}', left) for i, (left, _, w) in
                     enumerate(case.expected) if w == when]
            self.values += [(worst(seen, i), left, when) for i, left in asked]
            if asked:
                self.errors.append((max(mean(r, asked) for r in seen), when))
        self.gaps = [(worst(steps, f'gap{i}'), label)
                     for i, (label, _) in enumerate(case.constraints)]


def rows(*words):
    if os.path.exists('m.csv'):
        os.remove('m.csv')
    done = run('run', 'm.dae', '--json', '-o', 'm.csv', *words)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        raise AssertionError(done.stdout[:500] + done.stderr[:500]) from None
    if done.returncode or report['status'] != 'done':
        said = '; '.join(d['message'] for d in report.get('diagnostics', [])
                         if d['severity'] == 'error')
        raise AssertionError(f'exit {done.returncode}, {report["status"]} at '
                             f't = {report.get("t")}: {said}')
    with open('m.csv', newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file)), report


def every(times):
    """The largest step that meets all of these times, which are multiples of
    1/1000, or 1e-6 where they are smaller."""
    unit = 1e-3 if all(abs(t*1e3 - round(t*1e3)) < 1e-6 for t in times) else 1e-6
    step = 0
    for t in times:
        a = round(t/unit)
        while a:
            step, a = a, step % a
    return step*unit


def worst(seen, column):
    values = [float(r[column]) for r in seen]
    # no number is worse than any
    return max(v if v == v else float('inf') for v in values)


def mean(row, asked):
    squares = [float(row[i])**2 for i, _ in asked]
    total = sum(squares)/len(squares)
    return total**0.5 if total == total else float('inf')


def allowed(case, when):
    factors = [f for since, f in GROWTH.get(case.name, [(0, 1)])
               if when == 'always' or when >= since]
    return ERROR*factors[-1]


def faults(case, outcome):
    found = [f'error of {size:.3g} tolerances, {when}'
             for size, when in outcome.errors if not size < allowed(case, when)]
    found += [f'constraint {label} is broken by {size:.3g} tolerances'
              for size, label in outcome.gaps if not size < VIOLATION]
    return found


def row(case, rtol, outcome):
    error, _ = max(outcome.errors, key=lambda e: e[0])
    size, name, when = max(outcome.values, key=lambda v: v[0])
    at = '' if when in ('always', case.end) else f' at {when:g}'
    kinds = [max((g for g in outcome.gaps if (g[1] in case.with_slope) == k),
                 default=None, key=lambda g: g[0]) for k in (False, True)]
    mark = '**' if faults(case, outcome) else ''
    s = outcome.report['stats']
    cells = [case.name, case.index or 'none', f'{rtol:.0e}',
             f'{rtol*case.ratio:.0e}', f'{mark}{error:.2g}{mark}',
             f'{size:.2g} `{name}`{at}',
             *(f'{k[0]:.2g} `{k[1]}`' if k else '' for k in kinds), s['steps'], s['rejected_steps'],
             s['residual_evals'], s['newton_iterations'], s['jacobian_evals'],
             s['factorizations'], s['state_changes'], s['max_order']]
    return '| ' + ' | '.join(map(str, cells)) + ' |'


def cases():
    for path in sorted(glob.glob(os.path.join(ROOT, 'models/*/*.dae'))):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        known = re.search(r'^expect index == ([2-9]|\d\d)', text, re.M)
        if (known or path.endswith(tuple(MORE))) and \
                re.search('^solve ', text, re.M):
            yield path


def main():
    mode = sys.argv[3] if len(sys.argv) > 3 else 'fast'
    failed = count = 0
    for path in cases():
        name = os.path.basename(path)[:-len('.dae')]
        if mode not in ('table', 'slow' if name in SLOW else 'fast'):
            continue
        count += 1
        case = Case(path)
        for rtol in RTOLS:
            try:
                outcome = Outcome(case, rtol)
            except (AssertionError, subprocess.TimeoutExpired) as e:
                failed += 1
                print(f'| {name} | {case.index} | {rtol:.0e} | | **{e}** |'
                      if mode == 'table' else f'{name} at {rtol:g}: {e}',
                      flush=True)
                continue
            found = faults(case, outcome)
            failed += bool(found)
            if mode == 'table':
                print(row(case, rtol, outcome), flush=True)
            for fault in found if mode != 'table' else ():
                print(f'{name} at {rtol:g}: {fault}', flush=True)
    if mode == 'table':
        print(f'\n{failed} of these runs failed or left their bounds.')
    sys.exit(1 if failed or not count else 0)


if __name__ == '__main__':
    DAE, ROOT = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
