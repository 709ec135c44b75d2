"""Steps across a pole of the equations: rejected where a solution does not lead, taken where it does.
Errors that pass near an absolute tolerance and grow."""

import math

from support import dae, equal, main, near, write

UPTAKE = """param vm = 1e-4, Km = 1e-6
var S = 1e-3, P = 0
S' = -vm*S/(Km + S)
P' = vm*S/(Km + S)
solve t in 0..30
"""
TITRATION = """var d = 1e-4, H ~ 1e-4
d' = -1e-4
H - 1e-14/H = d
solve t in 0..2
"""
BALANCE = """param Kw = 1e-14
var d = 1e-4, H ~ 1e-4, OH ~ 1e-10
d' = -1e-4
H = OH + d
H*OH = Kw
solve t in 0..2
"""
PASSES = """param k = 2
var x = 1, w, P, T, a, r, b
x' = -sin(t)
w = sin(x)/x
P = k*x^2
T = P/x
a' = atan(1/(x - 0.1))
r' = 1/(1 + abs(1/(x + 0.2)))
b' = if x > 0.3 then 1/x else 1/(0.5 - x)
init a = 0, r = 0, b = 0
solve t in 0..30
"""
TOLERANCES = ['1e-2', '1e-4', '1e-6']


def run(text, tolerance, *more):
    write('model.dae', text)
    return dae('run', 'model.dae', '--json', '--rtol', tolerance, '--atol', tolerance, *more)


def test_uptake_ends_at_nothing():
    for method in ['bdf', 'radau']:
        for tolerance in TOLERANCES[1:]:
            values = run(UPTAKE, tolerance, '--method', method).json['values']
            near(values['S'], 0, 1e-7, 'S')
            near(values['P'], 1e-3, 1e-7, 'P')


def test_hydrogen_ions_stay_positive():
    for text in [TITRATION, BALANCE]:
        for tolerance in TOLERANCES:
            d = run(text, tolerance, '--method', 'bdf').json
            equal(d['status'], 'done')
            near(d['values']['H'], 1e-10, 2e-10, 'H')
            equal(d['values']['H'] > 0, True)


def test_what_a_solution_crosses():
    d = run(PASSES, '1e-6').json
    x = math.cos(30)
    near(d['values']['x'], x, 1e-4, 'x')
    near(d['values']['w'], math.sin(x)/x, 1e-4, 'w')
    near(d['values']['T'], 2*x, 1e-3, 'T')
    equal(d['stats']['steps'] < 2000, True)


def test_steps_of_one_length_are_told():
    write('model.dae', UPTAKE)
    done = dae('run', 'model.dae', '--step', '3', status=4)
    equal('`S + Km` changes its sign' in done.err, True)
    equal('take shorter steps' in done.err, True)


main(globals())
