#!/usr/bin/env python3
"""What loose absolute tolerances do, and whether it is said: runs of stiff models and of populations
with rtol = atol from 1e-2 to 1e-8, against tight runs by two methods.

    tools/dev/loose.py [DAE]

A run is wrong where some unknown is off by more than 1000 tolerances at some output time, and
silent where it ends without an error or a warning W0533. Models whose references differ by more
than a tolerance of 1e-6 are left out, and said."""

import csv
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = ['chemistry/chemical_akzo_nobel', 'chemistry/decay_series', 'chemistry/hires',
          'chemistry/oregonator', 'chemistry/robertson', 'chemistry/robertson_long',
          'chemistry/robertson_ode', 'chemistry/robertson_ode_long', 'biology/predator_prey',
          'biology/substrate_uptake', 'medicine/gompertz', 'oscillators/stiff_detest_b5',
          'oscillators/van_der_pol', 'oscillators/van_der_pol_mu', 'limits/prothero_robinson',
          'limits/stiff_limit_dae', 'pde/brusselator1d', 'process/batch_distillation',
          'process/batch_growth', 'process/batch_reactor', 'process/tank1',
          'circuits/transistor_amplifier', 'circuits/low_pass']
TEXTS = {
    'epidemic': """var S = 0.999, I = 1e-3, R = 0
S' = -0.5*S*I + 1e-3*R
I' = 0.5*S*I - 0.2*I
R' = 0.2*I - 1e-3*R
solve t in 0..2000""",
    'chemostat': """var S = 10, X = 0.1, Z = 0.1
S' = 0.1*(10 - S) - S/(1 + S)*X
X' = 0.5*S/(1 + S)*X - 0.1*X - 0.6*X/(0.5 + X)*Z
Z' = 0.3*X/(0.5 + X)*Z - 0.1*Z
solve t in 0..300""",
    'flame': """var y = 1e-4
y' = y^2 - y^3
solve t in 0..20000""",
    'adsorber': """var c = 1, q = 0
c' = -(5*c/(0.001 + c) - q)
q' = 5*c/(0.001 + c) - q
solve t in 0..10""",
}
DEEP = ['epidemic', 'chemostat', 'biology/predator_prey']
LARGE = 1000


def run(dae, path, rtol, atol, method, out):
    """The rows and what was said; no rows where it does not end in a minute."""
    try:
        done = subprocess.run(
            [dae, 'run', path, '--rtol', f'{rtol:g}', '--atol', f'{atol:g}', '--method', method,
             '--points', '100', '-o', out], capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return [], 'error'
    with open(out, encoding='utf-8') as f:
        rows = [[float(v) for v in row] for row in list(csv.reader(f))[1:]]
    return rows, done.stderr


def error(rows, reference, tolerance):
    at = {row[0]: row for row in reference}
    off = [abs(a - b)/(tolerance*abs(b) + tolerance)
           for row in rows if row[0] in at for a, b in zip(row[1:], at[row[0]][1:])]
    return max((v if v == v else float('inf') for v in off), default=0)


def survey(dae, name, path, folder):
    def made(k, *how):
        return run(dae, path, *how, os.path.join(folder, f'{k}.csv'))
    least = 1e-30 if name in DEEP else 1e-14
    reference, _ = made('bdf', 1e-10, least, 'bdf')
    other, _ = made('radau', 1e-10, least, 'radau')
    if not reference or error(other, reference, 1e-6) > 1:
        print(f'{name}: references differ')
        return []
    found = []
    for k in range(2, 9):
        rows, said = made(k, 10.0**-k, 10.0**-k, 'bdf')
        failed = 'error[E05' in said or 'error[E03' in said or not rows
        warned = 'W0533' in said
        off = error(rows, reference, 10.0**-k)
        kind = 'ended' if failed else 'wrong' if off > LARGE else 'right'
        found.append((kind, warned))
        print(f'{name} 1e-{k}: {kind}{", W0533" if warned else ""}, {off:.3g} tolerances')
    return found


def main():
    dae = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, 'build/release/dae')
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            found += survey(dae, name, os.path.join(ROOT, 'models', name + '.dae'), folder)
        for name, text in TEXTS.items():
            path = os.path.join(folder, name + '.dae')
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text + '\n')
            found += survey(dae, name, path, folder)
    for kind in 'right', 'wrong', 'ended':
        warned = sum(w for k, w in found if k == kind)
        print(f'{kind}: {sum(k == kind for k, _ in found)}, with W0533 {warned}')


if __name__ == '__main__':
    main()
