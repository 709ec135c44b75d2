"""Turbulent flows, K q |q| = head, that reverse: near 0 a flow is the root of its head, and
its slope has no bound. The basin's reference has the flow as its unknown, dt = 2 K |q| ds,
integrated by the classical Runge-Kutta method in s with 60000 steps and started anew where q
is 0. Networks are compared with the same by laws q*sqrt(q^2 + e^2) that are made sharper."""

import math
import os

from support import EVERY, ROOT, dae, main, near, write

TOLERANCES = ['1e-3', '1e-4', '1e-5', '1e-6', '1e-7', '1e-8', '1e-9']
H_AT_20, Q_AT_20 = 1.5639348371, 0.5769252351


def values(text, rtol, *words):
    write('m.dae', text)
    return dae('run', 'm.dae', '--json', '--rtol', rtol, '--atol',
               str(float(rtol)/100), *words, status=0).json['values']


def basin():
    with open(os.path.join(ROOT, 'models/process/tidal_basin.dae'),
              encoding='utf-8') as file:
        return '\n'.join(line for line in file.read().split('\n')
                         if not line.startswith('expect'))


def test_a_basin_at_every_tolerance():
    for rtol in TOLERANCES:
        found = values(basin(), rtol)
        near(found['h'], H_AT_20, 40*float(rtol))
        near(found['q'], Q_AT_20, 40*float(rtol))


def test_the_law_solved_for_the_flow():
    text = basin().replace('K*q*abs(q) = sea - h',
                           'q = sign(sea - h)*sqrt(abs(sea - h)/K)')
    for rtol in TOLERANCES[:5]:
        near(values(text, rtol)['h'], H_AT_20, 40*float(rtol))


def test_the_flow_is_that_of_its_head():
    """Next to a reversal to the root of a tolerance, which is what its head is known to."""
    write('m.dae', basin())
    for rtol in (1e-4, 1e-6, 1e-8):
        dae('run', 'm.dae', '--rtol', str(rtol), '--atol', str(rtol), '--all-steps', '-o',
            'o.csv', status=0)
        with open('o.csv', encoding='utf-8') as file:
            rows = [line.split(',')[:3] for line in file.read().split('\n')[1:] if line]
        rows = [[float(v) for v in row] for row in rows if row[0][:1].isdigit()]
        assert len(rows) > 100 and any(abs(q) < 0.05 for _, _, q in rows), len(rows)
        for t, h, q in rows:
            head = 1 + 0.8*math.sin(t) - h
            flow = math.copysign(math.sqrt(abs(head)/0.5), head)
            bound = 200*rtol if abs(q) > 0.1 else 3*math.sqrt(rtol)
            assert abs(q - flow) < bound, (rtol, t, q, flow)


def test_a_start_without_flow():
    """Where q is 0 at the start, the slope that is unbounded is the first one."""
    text = basin().replace('h = 1.5', 'h = 1').replace('q ~ -1', 'q')
    for rtol in TOLERANCES:
        near(values(text, rtol, '--to', '2.5')['h'], 1.58140260148, 40*float(rtol))


def test_two_tanks_come_to_one_level():
    text = """param K = 0.5
var h1 = 2, h2 = 1, q ~ 1
h1' = -q
2*h2' = q
K*q*abs(q) = h1 - h2
solve t in 0..6
"""
    for rtol in TOLERANCES:
        found = values(text, rtol)
        near(found['h1'], 4/3, 10*float(rtol))
        near(found['h2'], 4/3, 10*float(rtol))


def network(n, law):
    """A ladder of loops: n rungs between two rows of junctions, basins at one end."""
    return f"""param n = {n}
var a[n] ~ 1, b[n] ~ 1, h = 1.3, s = 0.9
var qa[k in 1..n-1] ~ 0.5, qb[k in 1..n-1] ~ 0.4, r[k in 1..n] ~ 0.1, into ~ 0.5, out ~ 0.5
fun law(q) = {law}
law(into) = 1.2 + 0.6*sin(t) - a[1]
(0.5 + 0.01*k)*law(qa[k]) = a[k] - a[k+1] for k in 1..n-1
(0.7 - 0.005*k)*law(qb[k]) = b[k] - b[k+1] for k in 1..n-1
(1 + 0.3*sin(k))*law(r[k]) = a[k] - b[k] + 0.02*sin(2*t + k) for k in 1..n
into = qa[1] + r[1]
qa[k-1] = qa[k] + r[k] for k in 2..n-1
qa[n-1] + 0 = r[n] + out
r[1] = qb[1] + 0.1*(b[1] - s)
qb[k-1] + r[k] = qb[k] for k in 2..n-1
0.8*law(out) = a[n] - h
h' = out
qb[n-1] + r[n] = 0.2*(b[n] - s)
s' = 0.1*(b[1] - s) + 0.2*(b[n] - s)
solve t in 0..8
"""


def test_networks_agree_with_laws_made_sharper():
    for k, n in enumerate((3, 8, 17)):  # 10, 25 and 52 pipes
        if k % EVERY:
            continue
        found = values(network(n, 'q*abs(q)'), '1e-6')
        errors = []
        for e in ('1e-2', '1e-3', '1e-4'):
            other = values(network(n, f'q*sqrt(q^2 + {e}^2)'), '1e-7')
            errors.append(max(abs(found[name] - other[name]) for name in ('h', 's')))
        assert errors[2] < 2e-5 and errors[2] < errors[0], (n, errors)


main(globals())
