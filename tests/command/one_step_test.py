"""Methods whose new point follows from the last one alone, against schemes
programmed apart (tests/data/reference/fixed_steps.json): values, orders, energies,
and which models each refuses.

    one_step_test.py DAE ROOT [slow]    slow: runs of a million steps, too
"""

import json
import math
import os
import sys

from support import (ROOT, contains, dae, equal, main, mechanics, near,
                     run_steps, write)

with open(os.path.join(ROOT, 'tests/data/reference/fixed_steps.json'),
          encoding='utf-8') as file:
    REFERENCE = json.load(file)

OSCILLATOR = """var x = 1
init x' = 0
x'' = -4*x
output E = (x'^2 + 4*x^2)/4
solve t in 0..10
"""
PAIR = """var x = 1, v = 0
x' = v
v' = -4*x
output E = (v^2 + 4*x^2)/4
solve t in 0..10
"""
# a mass that varies with place and slope, and slopes in two equations
MASS = """var x = 1, y = 0
heavy: (1 + x^2)*x' + 0.5*y' + 0.1*x'^3 = -y
light: y' - 0.3*x' = x
solve t in 0..1
"""
# x = 1/(1 + sin t), y = x^2
ALGEBRAIC = """var x = 1, y
x' = -y*cos(t)
square: y = x^2
solve t in 0..2
"""
PENDULUM = """var x = 1, y = 0, u ~ 0, v = 0, lam ~ 0
x' = u
y' = v
u' = -2*lam*x
v' = 9.81 - 2*lam*y
slip: x*u + y*v = 0
solve t in 0..2
"""


def refused(text, method, *parts):
    write('m.dae', text)
    err = dae('run', 'm.dae', '--method', method, '--step', '0.1',
              status=2).err
    for part in ('E0505', f'`{method}` does not fit', *parts):
        contains(err, part)


def energies(method, h):
    write('m.dae', OSCILLATOR)
    out = dae('run', 'm.dae', '--method', method, '--step', h, '--all-steps',
              '-o', '-', status=0).out.split()
    at = out[0].split(',').index('E')
    return [float(line.split(',')[at]) for line in out[1:]]


def test_oscillator():
    for h in ('0.1', '0.01'):
        case = REFERENCE['oscillator_energy_ratio_t10'][f'h={h}']
        for text in (OSCILLATOR, PAIR):
            for method, name in [('euler', 'FE'), ('trapezoid', 'trapezoid'),
                                 ('rk4', 'RK4'), ('euler-linear', 'BE')]:
                d = run_steps(text, method, h)
                near(d['outputs']['E']/case[name], 1, 1e-12, f'{method} {h}')
                equal(d['stats']['steps'], round(10/float(h)))
        for method in ('symplectic-euler', 'verlet'):
            least, most = case[method.replace('-', '_') + '_min_max']
            found = energies(method, h)
            near(min(found), least, 1e-12, f'{method} least, {h}')
            near(max(found), most, 1e-12, f'{method} most, {h}')


def test_network():
    """Three masses with dashpots: velocities are in the forces."""
    cases = REFERENCE['net_triangle2d_damped_fixed_step_t1']
    for method, name in [('symplectic-euler', 'semi_implicit_euler'),
                         ('euler', 'explicit_euler')]:
        case = cases[name]
        for h, state in zip(case['h'], case['state']):
            d = run_steps(mechanics('net2d_damped'), method, h, '--to', '1')
            for k in range(6):
                at = f'X[{k//2 + 1},{k % 2 + 1}]'
                near(d['values'][at], state[k], 1e-12, f'{method} {at}')
                near(d['derivatives'][at + "'"], state[6 + k], 1e-12,
                     f"{method} {at}'")


def test_trapezoid_of_index_2():
    case = REFERENCE['pend_trapezoid_index2_t2']
    for h, state in zip(case['h'], case['state_x_y_vx_vy_lambda']):
        d = run_steps(PENDULUM, 'trapezoid', h, '--reduce', 'never')
        for name, value in zip(('x', 'y', 'u', 'v', 'lam'), state):
            near(d['values'][name], value, 1e-11 if name != 'lam' else 1e-9,
                 f'{name}, h = {h}')


LEAPFROGS = [('leapfrog-1', 'leapfrog1'), ('leapfrog-2', 'leapfrog2'),
             ('leapfrog-3', 'leapfrog3')]


def test_rotation_vectors():
    """Phi' = Z(Phi) w, w' = a(Phi): two scenes of seven, and a fast one."""
    cases = REFERENCE['zh_fixed_step_methods']
    for model, scenes in (
            ('quadratic', {'6,': 'quad_J1_s4', '7,': 'quad_J1_s5'}),
            ('fast', {'': 'table_J0005'})):
        text = mechanics(f'rotation_vector_{model}')
        for method, key in [('rk4', 'rk4'), *LEAPFROGS]:
            for k in range(4):
                h = cases[min(scenes.values())][key][k]['h']
                d = run_steps(text, method, h)
                for at, name in scenes.items():
                    known = cases[name][key][k]
                    equal(known['h'], h)
                    for i in range(3):
                        what = f'{name} {method} {h}'
                        near(d['values'][f'Phi[{at}{i + 1}]'],
                             known['phi'][i], 1e-12, what)
                        w = known['omega'][i]
                        near(d['values'][f'w[{at}{i + 1}]'], w,
                             1e-12*max(1, abs(w)), what)


def test_energy_of_a_rotation():
    """To t = 100: the energy falls with rk4, rises with leapfrog-1 and -2, and
    swings with leapfrog-3. Three digits are known, of rk4 at 1e-4 rounding."""
    text = ''.join(line for line in mechanics('rotation_vector_fast')
                   .splitlines(True) if not line.startswith('expect'))
    methods = {'rk4': 'rk4', **{key: name for name, key in LEAPFROGS}}
    for row in REFERENCE['zh_scheme_comparison_T100']['rows']:
        if row['h'] < 0.005 and 'slow' not in sys.argv:
            continue
        method = methods[row['scheme']]
        d = run_steps(text, method, row['h'], '--set', 'J=0.01', '--set',
                f'Phi[1](0)={math.pi/3!r}', '--set', 'w[2](0)=55', '--to',
                '100', '--drift', 'energy', '--every', '0.005', '-o', 'e.csv')
        with open('e.csv', encoding='utf-8') as file:
            at = file.readline().strip().split(',').index('energy')
            energy = [float(line.split(',')[at]) for line in file]
        first = energy[0]
        off = [e - first for e in energy]
        for found, key in [
                (d['drift']['energy']['largest']/first, 'rel_dE_max'),
                (sum(map(abs, off))/len(off)/first, 'rel_dE_time_mean_abs'),
                (off[-1]/first, 'rel_dE_end'),
                (sum(e*e for e in off)/len(off), 'mean_square_dE')]:
            is_rounding = method == 'rk4' and row['h'] < 0.001
            near(found/row[key], 1, 0.1 if is_rounding else 1e-3,
                 f"{method} {row['h']} {key}")


def test_rigid_body_by_exact_turns():
    """Euler's method on difference quotients is the algorithm they are of."""
    def runs(name, case):
        for known in REFERENCE[f'rigid_step_algorithm_{case}']['runs']:
            h = known['h']
            yield known, run_steps(mechanics(name), 'euler', h, '--set', f'h={h}')
    for known, d in runs('rigid_body_steps', 'torque_free_generic_t2'):
        for mass in (1, 3):
            for i in range(3):
                near(d['values'][f'x[{mass},{i + 1}]'],
                     known[f'x_mass{mass}'][i], 1e-12, f'h = {known["h"]}')
        near(d['outputs']['energy']/1.0741 - 1, known['rel_energy_change'],
             1e-12)
        near(d['outputs']['distance'], math.sqrt(1.49), 1e-13)
    for known, d in runs('rigid_body_spring_steps', 'on_spring_t1'):
        for name, key in (('Xc', 'Xcm'), ('Uc', 'Ucm'), ('L', 'L')):
            for i in range(3):
                near(d['values'][f'{name}[{i + 1}]'], known[key][i], 1e-11,
                     f'{name}, h = {known["h"]}')


def test_one_step_of_a_network():
    """Implicit Euler, whole and linearised, with lengths and tensions as
    formulas and as unknowns."""
    for model in ('net4', 'net4_tensions'):
        for method, kind, words in (
                ('euler-linear', 'linearised', ()),
                ('bdf', 'full', ('--order', '1'))):
            known = REFERENCE['sms_net4'][
                f'{kind}_implicit_euler_one_step_h0.05']
            d = run_steps(mechanics(model), method, 0.05, '--to', '0.05', *words)
            for k in range(12):
                at = f'X[{k//3 + 1},{k % 3 + 1}]'
                near(d['values'][at], known['x'][k], 1e-14, f'{model} {at}')
                near(d['derivatives'][at + "'"], known['v'][k], 1e-14,
                     f"{model} {at}'")


def test_places_and_velocities():
    """Which is which follows from the equations: q' = q w, w' = (sin t - q)/2 in
    any order, and x' = v whatever is declared first."""
    def schemes(h, n):
        for kind in range(3):
            q, w, t = 1.0, 0.5, 0.0
            for _ in range(n):
                a = (math.sin(t) - q)/2
                u = w + h/2*a
                p = q + h/2*q*(w if kind == 0 else u)
                lead = u if kind < 2 else w + h*a
                q += h*p*lead
                t += h
                w = lead if kind == 2 else u + h/2*(math.sin(t) - q)/2
            yield q, w
    for known, (method, _) in zip(schemes(0.125, 8), LEAPFROGS):
        for names in ('q = 1, w = 0.5', 'w = 0.5, q = 1'):
            d = run_steps(f"var {names}\nq' = q*w\n2*w' = sin(t) - q\n"
                    'solve t in 0..1\n', method, 0.125)
            near(d['values']['q'], known[0], 1e-14, method)
            near(d['values']['w'], known[1], 1e-14, method)
    for method, same in (('leapfrog-1', 'verlet'), ('leapfrog-2', 'verlet'),
                         ('leapfrog-3', 'symplectic-euler')):
        known = run_steps(OSCILLATOR, same, 0.1)
        for text in (OSCILLATOR, PAIR, PAIR.replace('x = 1, v = 0',
                                                    'v = 0, x = 1')):
            near(run_steps(text, method, 0.1)['values']['x'], known['values']['x'],
                 1e-14, method)
    # a director: its triangle of slopes is not one of velocities
    d = run_steps(mechanics('director_dipole'), 'leapfrog-2', 0.005)
    equal(d['stats']['steps'], 2000)


def order(text, method, steps, exact, name='x', *words):
    off = [run_steps(text, method, h, *words)['values'][name] - exact
           for h in steps]
    return [math.log2(abs(a/b)) for a, b in zip(off, off[1:])]


# x'' = -x in steps of 0.1. The trapezoid keeps x^2 + v^2 at every step; rk4
# multiplies it by |R(ih)|^2 = 1 - h^6/72 + h^8/576. What is requested between the
# steps is no drift of theirs.
def test_drift_is_of_the_steps():
    text = ("var x = 1, v = 0\nlet E = x^2 + v^2\nx' = v\nv' = -x\n"
            'solve t in 0..10\n')
    kept = text + 'expect E ~ initial(E) within 1e-13 always\n'
    factor = 1 - 1e-6/72 + 1e-8/576
    for grid in ([], ['--every', '0.03'], ['--points', '7'], ['--all-steps']):
        drift = run_steps(kept, 'trapezoid', '0.1', '--drift', 'E',
                    *grid)['drift']['E']
        near(drift['largest'], 0, 1e-13, 'trapezoid')
        drift = run_steps(text, 'rk4', '0.1', '--drift', 'E', *grid)['drift']['E']
        near(drift['final'], factor**100 - 1, 1e-12, 'rk4')
        near(drift['largest'], 1 - factor**100, 1e-12, 'rk4')
        near(drift['mean'], (1 - factor**100)/2, 1e-9, 'rk4')


def test_orders():
    steps = ('0.02', '0.01', '0.005', '0.0025')
    for method, k in (('trapezoid', 2), ('euler-linear', 1)):
        for found in order(ALGEBRAIC, method, steps, 1/(1 + math.sin(2))):
            near(found, k, 0.15, method)
    # x'' = 2 x^3 with x = 1/(1 + t)
    motion = "var x = 1\ninit x' = -1\nx'' = 2*x^3\nsolve t in 0..1\n"
    for method, k in (('euler', 1), ('symplectic-euler', 1), ('verlet', 2),
                      ('rk4', 4), ('trapezoid', 2), ('euler-linear', 1),
                      ('leapfrog-1', 2), ('leapfrog-2', 2),
                      ('leapfrog-3', 1)):
        # the tangent's own error falls late
        fine = steps[2:] + ('0.00125',) if method == 'euler-linear' else steps
        for found in order(motion, method, fine, 0.5):
            near(found, k, 0.15, method)


def test_orders_of_a_reduced_system():
    """Other states are taken on the way: what has become one goes on with the
    slope that it has, not with that of a secant."""
    model = os.path.join(ROOT, 'models/mechanics/pendulum.dae')
    words = ('--to', '0.5', '--study', 'steps', '--methods', 'trapezoid',
             '--steps', '0.01,0.005', '--json')
    for row in dae('orders', model, *words, status=0).json['observed_order']:
        for what in ('global', 'largest'):
            for name, found in row[what].items():
                near(found, 2, 0.05, f'{row["reduce"]}, {what}: {name}')
    stats = dae('run', model, '--to', '0.5', '--method', 'trapezoid', '--step',
                '0.01', '--json', status=None).json['stats']
    equal(stats['state_changes'] > 0, True)


def test_backward_in_time():
    text = "var x = 1\nx' = -x\nsolve t in 1..0\n"
    for method, k in (('euler', 1), ('rk4', 4), ('trapezoid', 2)):
        for found in order(text, method, ('0.1', '0.05', '0.025'), math.e):
            near(found, k, 0.15, method)


def test_mass():
    """Slopes by iteration where they do not stand alone; bdf agrees."""
    write('m.dae', MASS)
    exact = dae('run', 'm.dae', '--json', '--rtol', '1e-12', '--atol', '1e-14',
                status=0).json['values']
    for name in ('x', 'y'):
        found = order(MASS, 'rk4', ('0.05', '0.025', '0.0125'), exact[name],
                      name)
        near(found[0], 4, 0.25, name)
        near(found[1], 4, 0.25, name)


def test_one_linear_step():
    """x' = -x^2 by hand: (1 + 2 h x) d = -h x^2; x'' = -x^3 with the place
    moved inside of the tangent: (1 + 3 h^2 x^2) d = -h (x^3 + 3 x^2 h v)."""
    d = run_steps("var x = 1\nx' = -x^2\nsolve t in 0..0.25\n", 'euler-linear', 0.25)
    near(d['values']['x'], 1 - 0.25/1.5, 1e-15)
    equal(d['stats']['residual_evals'] <= 2, True)
    d = run_steps("var x = 1\ninit x' = 2\nx'' = -x^3\nsolve t in 0..0.25\n",
            'euler-linear', 0.25)
    v = 2 - 0.25*(1 + 3*0.25*2)/(1 + 3/16)
    near(d['derivatives']["x'"], v, 1e-14)
    near(d['values']['x'], 1 + 0.25*v, 1e-14)


def test_between_steps():
    """The cubic of a step is of order 4 in it."""
    off = []
    for h in ('0.2', '0.1'):
        write('m.dae', "var x = 1\nx' = -x\nsolve t in 0..2\n")
        out = dae('run', 'm.dae', '--method', 'rk4', '--step', h, '--points',
                  '81', '-o', '-', status=0).out.split()[1:]
        rows = [list(map(float, line.split(','))) for line in out]
        equal(len(rows), 81)
        off.append(max(abs(x - math.exp(-t)) for t, x in rows))
    near(math.log2(off[0]/off[1]), 4, 0.3)


def test_what_does_not_fit():
    for method in ('euler', 'rk4', 'symplectic-euler', 'verlet'):
        refused(ALGEBRAIC, method, 'no derivative of `y`',
                'use an implicit one')
    for method in ('symplectic-euler', 'verlet'):
        refused(PAIR, method, 'no second derivative of `')
    refused("var x = 1\ninit x' = 0\nfall: x'' = -x - 0.1*x'\n"
            'solve t in 0..1\n', 'verlet', 'a velocity occurs in equation '
            '`fall`', 'symplectic-euler')
    for method, _ in LEAPFROGS:
        refused(ALGEBRAIC, method, 'no derivative of `y`')
        for text in ("var x = 1, v = 0\nx' = v\nodd: v' = -x - 0.1*v\n",
                     "var x = 1\ninit x' = 0\nodd: x'' = -x - 0.1*x'\n",
                     "var x = 1, p = 0\nodd: x' = p/sqrt(1 + p^2)\n"
                     "p' = -x^3\n",
                     "var x = 1, v = 0\nodd: x' = v + 1\nv' = -x^3\n",
                     "var x = 1\nodd: x' = -x\n"):
            refused(text + 'solve t in 0..1\n', method,
                    "neither w' = a(q) nor q' = Z(q) w is equation `odd`",
                    'use rk4')
    for method in ('euler', 'trapezoid', 'verlet', 'leapfrog-1'):
        write('m.dae', OSCILLATOR)
        err = dae('run', 'm.dae', '--method', method, status=2).err
        contains(err, f'`{method}` cannot choose its step')
        contains(err, '--step H')


main(globals())
