"""Every model of the library above index 1, run from its text to its reference
at three tolerances, as accuracy_test.c does it up to index 1.

    higher_index_test.py DAE GAPS ROOT [slow|table]

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

Constraints: every equation that is differentiated, and all its derivatives, as
many as there are, at every accepted step, by GAPS (constraint_gaps.c, which
says what is measured); below 10 tolerances. GAPS takes the same steps.

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
WATCHED_RTOLS = 1e-6,  # where sanitizers watch: memory, not numbers
ERROR, VIOLATION = 100, 10

# Without an `expect index`: of deficient rank.
# The pendulum held by its acceleration only has index 1, and needs a factor.
MORE = ['mechanics/platform_three_rods.dae',
        'mechanics/pendulum_acceleration.dae']

SLOW = {'chained_pendula_seven', 'fekete', 'fekete_second_order',
        'pendulum_turning', 'ring_modulator_limit', 'chained_pendula_long',
        'slider_crank_flexible', 'wheelset'}

# What the problem makes of an error, by time: the factors to multiply ERROR by
# from these times on. Most are measured by tests/data/reference/growth.c, apart
# from this solver, as those of accuracy_cases.c.
# integrated as they stand: of index 1, or 2 that ranks do not confirm; what
# they hide is in their own expectations
NOT_REDUCED = {'pendulum_acceleration', 'ring_modulator_limit'}
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
    # stiff springs turn places into speeds
    'chain5_rates': [(0, 76), (0.5, 101), (1, 71)],
    # the rod's stiffness turns places into speeds, and speeds into forces
    'slider_crank_flexible': [(0, 120)],
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


def kept(parts):
    """The statements without blocks of `expect` lines whose condition does not
    hold with the model's own parameters."""
    numbers = {name: float(value) for p in parts if p.startswith('param')
               for name, value in re.findall(r'(\w+) = ([\d.e+-]+)[,\s]',
                                             p + '\n')}
    within, has_held = None, False
    for part in parts:
        word = part.split(' ', 1)[0]
        if word in ('if', 'elseif', 'else'):
            has_held = within and has_held  # of the branches before
            holds = not has_held and (
                word == 'else' or bool(eval(part.split(' ', 1)[1], {}, numbers)))
            has_held = has_held or holds
            within = 'kept' if holds else 'left out'
        elif word == 'end' and within:  # not that of a `when`
            within, has_held = None, False
        elif within != 'left out':
            yield part.strip()


class Case:
    def __init__(self, path):
        self.name = os.path.basename(path)[:-len('.dae')]
        self.path = path
        with open(path, encoding='utf-8') as file:
            self.parts = list(kept(statements(file.read())))
        check = json.loads(run('check', '--json', path).stdout)
        self.index = check['structure']['index']
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

    def text(self, rtol):
        """The model with a column for each difference in tolerances."""
        atol = rtol*self.ratio
        out = [p for p in self.parts if not p.startswith('expect')]
        for i, (left, right, _) in enumerate(self.expected):
            miss = (f'abs(({left}) - ({right}))'
                    f'/({rtol!r}*abs({right}) + {atol!r})')
            is_array = right.startswith('[') or '..' in right
            out.append(f'output miss{i} = '
                       + (f'max({miss})' if is_array else miss))
        return '\n'.join(out) + '\n'

    def write(self, rtol):
        for table in glob.glob(os.path.join(os.path.dirname(self.path), '*.csv')):
            if not os.path.exists(os.path.basename(table)):
                os.symlink(table, os.path.basename(table))
        with open('m.dae', 'w', encoding='utf-8') as file:
            file.write(self.text(rtol))

    def gaps(self, rtol):
        """Steps, and of every constraint: (gap, whether it is the last
        derivative of its equation, name)."""
        done = subprocess.run([GAPS, self.path, repr(rtol),
                               repr(rtol*self.ratio)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=1000)
        lines = done.stdout.split('\n')
        if done.returncode or len(lines) < 3:
            raise AssertionError('its constraints: ' + done.stderr[:500])
        steps, count = (int(line.split()[1]) for line in lines[:2])
        found = [line.split(' ', 2) for line in lines[2:-1]]
        if len(found) != count:
            raise AssertionError(f'{len(found)} of {count} constraints')
        if (not found) != (self.name in NOT_REDUCED):
            raise AssertionError(f'{len(found)} constraints are reduced')
        return steps, [(float(g), kind == 'last', n) for g, kind, n in found]


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
        taken, self.gaps = case.gaps(rtol)
        if taken != self.report['stats']['steps']:
            raise AssertionError(f'constraints were measured in {taken} steps')


def rows(*words):
    if os.path.exists('m.csv'):
        os.remove('m.csv')
    done = run('run', 'm.dae', '--json', '-o', 'm.csv', *words)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        raise AssertionError(done.stdout[:500] + done.stderr[:500]) from None
    if done.returncode or report['status'] not in ('done', 'stopped'):
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
              for size, _, label in outcome.gaps if not size < VIOLATION]
    return found


def row(case, rtol, outcome):
    error, _ = max(outcome.errors, key=lambda e: e[0])
    size, name, when = max(outcome.values, key=lambda v: v[0])
    at = '' if when in ('always', case.end) else f' at {when:g}'
    kinds = [max((g for g in outcome.gaps if g[1] == is_last), default=None,
                 key=lambda g: g[0]) for is_last in (False, True)]
    mark = '**' if faults(case, outcome) else ''
    s = outcome.report['stats']
    cells = [case.name, case.index or 'none', f'{rtol:.0e}',
             f'{rtol*case.ratio:.0e}', f'{mark}{error:.2g}{mark}',
             f'{size:.2g} `{name}`{at}',
             len(outcome.gaps),
             *(f'{k[0]:.2g} `{k[2]}`' if k else '' for k in kinds),
             s['steps'], s['rejected_steps'],
             s['residual_evals'], s['newton_iterations'], s['jacobian_evals'],
             s['factorizations'], s['state_changes'], s['max_order']]
    return '| ' + ' | '.join(map(str, cells)) + ' |'


def cases():
    for path in sorted(glob.glob(os.path.join(ROOT, 'models/*/*.dae'))):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        known = re.search(r'^expect index == ([2-9]|\d\d|.*[A-Za-z])', text, re.M)
        # what refuses its start, or stops on the way, has no values at the end
        has_end = not re.search('^expect "E|^ *stop ', text, re.M)
        if (known or path.endswith(tuple(MORE))) and has_end and \
                re.search('^solve ', text, re.M):
            yield path


def main():
    mode = sys.argv[4] if len(sys.argv) > 4 else 'fast'
    failed = count = 0
    with open(DAE, 'rb') as file:
        rtols = WATCHED_RTOLS if b'__asan_init' in file.read() else RTOLS
    for path in cases():
        name = os.path.basename(path)[:-len('.dae')]
        if mode not in ('table', 'slow' if name in SLOW else 'fast'):
            continue
        count += 1
        case = Case(path)
        for rtol in rtols:
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
    DAE, GAPS, ROOT = map(os.path.abspath, sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
