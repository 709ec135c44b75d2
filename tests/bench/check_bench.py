#!/usr/bin/env python3
"""What `dae check` costs on large models: processor time, memory and the growth
from a tenth of the size, which is near 10 where all passes are linear. Nothing
here fails for being slow; it fails where the answer is not the expected one.

    check_bench.py DAE [FAMILY...]
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))

PENDULA = '''param n = 10, g = 9.81
var x[n] = cos(0.5), y[n] ~ sin(0.5), u[n] ~ 0, v[n] = 0, lam[n] ~ 0
for i in 1..n
  moves: x[i]' = u[i]
  falls: y[i]' = v[i]
  horizontal: u[i]' = -2*lam[i]*x[i]
  vertical: v[i]' = g - 2*lam[i]*y[i]
  rod: x[i]^2 + y[i]^2 = 1
end
'''

# the length of a rod depends on the force in the one before, three in a chain
CHAINED = '''param n = 10, g = 9.81
var x[n,3] = 0.5, y[n,3] ~ 0.8, u[n,3] = 0, v[n,3] ~ 0, lam[n,3] ~ 5
for i in 1..n, j in 1..3
  moves: x[i,j]' = u[i,j]
  falls: y[i,j]' = v[i,j]
  horizontal: u[i,j]' = -2*lam[i,j]*x[i,j]
  vertical: v[i,j]' = g - 2*lam[i,j]*y[i,j]
  rod: x[i,j]^2 + y[i,j]^2 = 1 + (if j > 1 then 0.01*lam[i,j-1] else 0)
end
'''

# each pair needs a repair: node1 + node2 contains no derivative
PAIRS = '''param n = 10, C = 1e-6, R = 1000
input Ue = 0.1*sin(200*t)
var u1[n] = 0, u2[n] ~ 0
node1: C*(u1[i]' - u2[i]') = (Ue - u1[i])/R for i in 1..n
node2: C*(u2[i]' - u1[i]') = -u2[i]/R for i in 1..n
'''

# one algebraic block
STEADY = '''param n = 10
let h = 1/(n + 1)
var T[n,n] ~ 0
fun west(i, j) = if i > 1 then T[i-1,j] else 0
fun east(i, j) = if i < n then T[i+1,j] else 0
fun south(i, j) = if j > 1 then T[i,j-1] else 0
fun north(i, j) = if j < n then T[i,j+1] else 0
heat: 4*T[i,j] - west(i, j) - east(i, j) - south(i, j) - north(i, j) = h^2 for i in 1..n, j in 1..n
'''

LADDER = '''param n = 10, R = 1, C = 1
input U = sin(t)
var u[n] = 0, c[n] ~ 0
for i in 1..n
  resistor: (if i > 1 then u[i-1] else U) - u[i] = R*c[i]
  capacitor: C*u[i]' = c[i] - (if i < n then c[i+1] else 0)
end
'''

# n x n masses, held along one side; tensions are unknowns
NET = '''param n = 10, S = 100, R0 = 1, M = 1, g = 9.81
var X[i in 0..n, j in 1..n] = 1.01*i, Y[i in 0..n, j in 1..n] = 1.01*j, Z[i in 0..n, j in 1..n] = 0
var p[i in 1..n, j in 1..n] ~ 1, q[i in 1..n, j in 1..n-1] ~ 1
init X[i,j]' = 0 for i in 1..n, j in 1..n
init Y[i,j]' = 0 for i in 1..n, j in 1..n
init Z[i,j]' = 0 for i in 1..n, j in 1..n
fun d(W, i, j, k, l) = W[i,j] - W[k,l]
fun length(i, j, k, l) = sqrt(d(X,i,j,k,l)^2 + d(Y,i,j,k,l)^2 + d(Z,i,j,k,l)^2)
fun pull(W, i, j) = (if i < n then p[i+1,j]*d(W,i+1,j,i,j) else 0) - p[i,j]*d(W,i,j,i-1,j) + (if j < n then q[i,j]*d(W,i,j+1,i,j) else 0) - (if j > 1 then q[i,j-1]*d(W,i,j,i,j-1) else 0)
for j in 1..n
  wallx: X[0,j] = 0
  wally: Y[0,j] = 1.01*j
  wallz: Z[0,j] = 0
end
along: p[i,j] = S*(length(i,j,i-1,j) - R0)/length(i,j,i-1,j) for i in 1..n, j in 1..n
across: q[i,j] = S*(length(i,j,i,j+1) - R0)/length(i,j,i,j+1) for i in 1..n, j in 1..n-1
for i in 1..n, j in 1..n
  newtonx: M*X[i,j]'' = pull(X, i, j)
  newtony: M*Y[i,j]'' = pull(Y, i, j)
  newtonz: M*Z[i,j]'' = pull(Z, i, j) - M*g
end
'''

START = '''param n = 10
var x[n] {0} 1, z[n] {1} {2}
x[i]' = -x[i] for i in 1..n
z[i] = x[i] for i in 1..n
'''

KINKED = '''param n = 10
input gamma = abs(sin(t))
var a[n], b[n]
a: b[i]' = a[i] for i in 1..n
b: b[i] = gamma for i in 1..n
'''


def start(x, z, value):
    return START.replace('{0}', x).replace('{1}', z).replace('{2}', value)


# name, text or file, the larger n, the tenth of it, what the first line says
FAMILIES = [
    ('heat on a square', 'models/pde/heat2d.dae', 1000, 316,
     'consistent, index 1, 1000000 degrees'),
    ('Brusselator on a square', 'models/pde/brusselator2d.dae', 500, 158,
     'consistent, index 0, 500000 degrees'),
    ('pendula', PENDULA, 100000, 10000,
     'consistent, index 3, 200000 degrees'),
    ('chained pendula', CHAINED, 33333, 3333,
     'consistent, index 7, 199998 degrees'),
    ('pairs that are repaired', PAIRS, 100000, 10000,
     'too few, 100000 more are needed, index 1, 100000 degrees'),
    ('steady heat, one block', STEADY, 316, 100,
     'consistent, index 1, no degrees'),
    ('RC ladder', LADDER, 100000, 10000, 'consistent, index 1, 100000 degrees'),
    ('net of springs', NET, 100, 32, 'consistent, index 1, 60000 degrees'),
    ('contradictory start', start('=', '=', '2'), 100000, 10000,
     'the initial conditions are inconsistent'),
    ('redundant start', start('=', '=', '1'), 100000, 10000,
     'consistent, index 1, 100000 degrees'),
    ('too few conditions', start('~', '~', '1'), 100000, 10000,
     'too few, 100000 more are needed'),
    ('signals with a kink', KINKED, 100000, 10000,
     'a derivative that is needed does not exist'),
]


def check(command, path, n, *more):
    """processor seconds, MiB of memory, the beginning and MiB of the answer"""
    with open('out', 'w+', encoding='utf-8') as out:
        process = subprocess.Popen(
            [command, 'check', path, '--set', f'n={n}', *more], stdout=out,
            stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0  # waited for
        out.seek(0)
        return (usage.ru_utime + usage.ru_stime, usage.ru_maxrss/1024,
                out.read(4000), os.path.getsize('out')/2**20)


def measure(command, name, text, large, small, says):
    path = os.path.join(ROOT, text)
    if '\n' in text:
        path = 'model.dae'
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    before, _, _, _ = check(command, path, small)
    seconds, most, out, _ = check(command, path, large)
    json_seconds, _, _, size = check(command, path, large, '--json')
    unknowns = re.search(r'for (\d+) unknown', out)
    print(f'{name:24} {unknowns.group(1) if unknowns else "?":>8} '
          f'{seconds:8.2f} {seconds/before:8.1f} {most:8.0f} '
          f'{json_seconds:8.2f} {size:8.1f}', flush=True)
    if says in out.split('\n')[0]:
        return True
    print(f'  says: {out[:200]}\n  not: {says}')
    return False


def main():
    command = os.path.abspath(sys.argv[1])
    chosen = sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(f'{"model":24} {"unknowns":>8} {"s":>8} {"growth":>8} '
              f'{"MiB":>8} {"JSON s":>8} {"MiB":>8}')
        fine = [measure(command, *f) for f in FAMILIES
                if not chosen or f[0] in chosen]
        os.chdir(ROOT)
    sys.exit(0 if all(fine) else 1)


main()
