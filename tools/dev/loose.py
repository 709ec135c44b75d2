#!/usr/bin/env python3
"""What loose tolerances do, and whether it is said: runs of stiff models and of populations with
rtol = atol from 1e-2 to 1e-8 by bdf and radau, against tight runs by both.

    tools/dev/loose.py [DAE]

A run is wrong where some unknown is off by more than 1000 tolerances at some output time, and
silent where it ends without an error or a warning W0533. Models whose references do not end or differ
by more than a tolerance of 1e-6 are left out, and said. The exit status is 1 where fewer wrong runs are
warned, or more right ones, than WARNED_LEAST and WARNED_MOST."""

import csv
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODELS = ['biology/predator_prey', 'biology/substrate_uptake', 'chemistry/chemical_akzo_nobel',
          'chemistry/decay_series', 'chemistry/e5', 'chemistry/e5_ode', 'chemistry/hires',
          'chemistry/oregonator', 'chemistry/pollution', 'chemistry/robertson',
          'chemistry/robertson_long', 'chemistry/robertson_ode', 'chemistry/robertson_ode_long',
          'chemistry/second_order', 'circuits/low_pass', 'circuits/ring_modulator_limit',
          'circuits/transistor_amplifier', 'limits/prothero_robinson', 'limits/stiff_limit_dae',
          'medicine/gompertz', 'medicine/medical_akzo_nobel', 'networks/gas_network',
          'networks/pipe_loop', 'oscillators/stiff_detest_b5', 'oscillators/van_der_pol',
          'oscillators/van_der_pol_mu', 'pde/brusselator1d', 'pde/foodweb',
          'process/batch_distillation', 'process/batch_growth', 'process/batch_reactor',
          'process/differentiators', 'process/distillation_train', 'process/tank1', 'process/tank2',
          'process/tidal_basin']
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
    'brusselator': """var u = 1.5, v = 3
u' = 1 + u^2*v - 4*u
v' = 3*u - u^2*v
solve t in 0..20""",
    'autocatalysis': """var p = 1, a = 0, b = 0
p' = -0.002*p
a' = 0.002*p - 0.08*a - a*b^2
b' = 0.08*a + a*b^2 - b
solve t in 0..800""",
    'virus': """var T = 1000, I = 0, V = 1e-3
T' = 10 - 0.01*T - 2.4e-5*T*V
I' = 2.4e-5*T*V - 0.5*I
V' = 100*0.5*I - 3*V
solve t in 0..400""",
    'laser': """var n = 0, s = 1e-6
n' = 1.5 - n - n*s
s' = 500*s*(n - 1) + 1e-6*n
solve t in 0..20""",
    'fitzhugh_nagumo': """var v = -1, w = 1
v' = 100*(v - v^3/3 - w)
w' = v + 0.7 - 0.8*w
solve t in 0..20""",
    'explosion': """var c = 1, T = 1
c' = -c*exp(15*(1 - 1/T))*0.01
T' = c*exp(15*(1 - 1/T))*0.01 - 0.0001*(T - 1)
solve t in 0..200""",
    'enzyme': """var S = 1, E = 1e-3, C = 0, P = 0
S' = -1e4*E*S + 10*C
E' = -1e4*E*S + 10*C + 100*C
C' = 1e4*E*S - 10*C - 100*C
P' = 100*C
solve t in 0..30""",
    'morris_lecar': """param C = 20
var V = -40, w = 0
C*V' = 90 - 2*(V + 60) - 4*0.5*(1 + tanh((V + 1.2)/18))*(V - 120) - 8*w*(V + 84)
w' = 0.04*cosh((V - 2)/60)*(0.5*(1 + tanh((V - 2)/30)) - w)
solve t in 0..500""",
}
DEEP = ['epidemic', 'chemostat', 'biology/predator_prey']
LARGE = 1000
METHODS = 'bdf', 'radau'
# What holds today, of all methods together; what is wanted is 1 and 0.05.
WARNED_LEAST, WARNED_MOST = 0.9, 0.05


def run(dae, path, rtol, atol, method, out):
    """The rows and what was said; no rows where it does not end in a minute."""
    if os.path.exists(out):
        os.remove(out)
    try:
        done = subprocess.run(
            [dae, 'run', path, '--rtol', f'{rtol:g}', '--atol', f'{atol:g}', '--method', method,
             '--points', '100', '-o', out], capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return [], 'error[E05'
    if not os.path.exists(out):
        return [], done.stderr
    with open(out, encoding='utf-8') as f:
        rows = [[float(v) for v in row] for row in list(csv.reader(f))[1:]]
    return rows, done.stderr


def error(rows, reference, tolerance):
    at = {row[0]: row for row in reference}
    off = [abs(a - b)/(tolerance*abs(b) + tolerance)
           for row in rows if row[0] in at for a, b in zip(row[1:], at[row[0]][1:])]
    return max((v if v == v else float('inf') for v in off), default=0)


def is_same(a, b):
    return bool(a) and bool(b) and a[-1][0] == b[-1][0] and error(b, a, 1e-6) <= 1


def survey(dae, name, path, folder):
    """(method, kind, whether W0533) of each run; None: there is no reference."""
    def made(k, *how):
        return run(dae, path, *how, os.path.join(folder, f'{k}.csv'))
    least = 1e-30 if name in DEEP else 1e-14
    reference, _ = made('radau', 1e-11, least, 'radau')
    other, _ = made('bdf', 1e-10, least, 'bdf')
    if not is_same(reference, other):
        print(f'{name}: no reference')
        return None
    found = []
    for method in METHODS:
        for k in range(2, 9):
            rows, said = made(k, 10.0**-k, 10.0**-k, method)
            failed = 'error[E05' in said or 'error[E03' in said or not rows
            off = error(rows, reference, 10.0**-k)
            kind = 'ended' if failed else 'wrong' if off > LARGE else 'right'
            found.append((method, kind, 'W0533' in said))
            print(f'{name} {method} 1e-{k}: {kind}{", W0533" * found[-1][2]}, {off:.3g} tolerances')
    return found


def share(found, kind):
    of = [warned for _, k, warned in found if k == kind]
    return sum(of), len(of)


def main():
    dae = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, 'build/release/dae')
    found, models = [], 0
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(ROOT, 'models', name + '.dae') for name in MODELS}
        for name, text in TEXTS.items():
            paths[name] = os.path.join(folder, name + '.dae')
            with open(paths[name], 'w', encoding='utf-8') as f:
                f.write(text + '\n')
        for name, path in paths.items():
            of = survey(dae, name, path, folder)
            models += of is not None
            found += of or []
    for method in METHODS:
        own = [run for run in found if run[0] == method]
        counts = [f'of {of} {kind} {warned}' for kind in ('wrong', 'right', 'ended')
                  for warned, of in [share(own, kind)]]
        print(f'{method}: {", ".join(counts)} with W0533')
    wrong, right = share(found, 'wrong'), share(found, 'right')
    print(f'{models} models, rtol = atol 1e-2 to 1e-8: of {wrong[1]} wrong runs {wrong[0]} with W0533, '
          f'of {right[1]} right ones {right[0]}')
    sys.exit(wrong[0] < WARNED_LEAST*wrong[1] or right[0] > WARNED_MOST*right[1])


if __name__ == '__main__':
    main()
