"""What tests/data/reference/fixed_steps.json has beside the values of a scheme:
errors, observed orders, energies, distances kept, constraints missed. The solutions
that errors are of are from elsewhere: closed forms, and extrapolation in extended
precision."""

import csv
import json
import math
import os

from support import ROOT, SHARE, dae, equal, main, mechanics, near, run_steps, write

with open(os.path.join(ROOT, 'tests/data/reference/fixed_steps.json'),
          encoding='utf-8') as file:
    REFERENCE = json.load(file)

# x + h a(x)/2 and so on in one of Euler's steps: the new place is made with the
# velocity half a kick later and the angle half a step later, the new velocity
# with both kicks at the old angle
SCENE = """param J = {J}, k[3] = [0, 0, 1]
var Phi[3] = {Phi}, w[3] = {w}
fun g(s) = stumpff(1, s)/(2*stumpff(2, s))
fun h(s) = (stumpff(3, s) - 2*stumpff(4, s))/(2*stumpff(2, s))
fun slope(Phi, w) = w - cross(Phi, w)/2 + h(dot(Phi, Phi))*cross(Phi, cross(Phi, w))
let s = dot(Phi, Phi), c = dot(k, Phi)
let a[3] = -((2 + 2*c^2*h(s))*Phi + 2*c*(g(s)*k + cross(Phi, k)/2))/J
let half[3] = w + {h}/2*a
let middle[3] = Phi + {h}/2*slope(Phi, w)
turning: Phi' = slope(middle, half)
kicked:  w' = a
output energy = J*dot(w, w)/2 + s + c^2
solve t in 0..{to}
"""
# the three scenes: start, inertia, end
SCENES = {'quad_J1_s4': ([1, 0, 0], [0, 0.5, 0], 1, 10, 1.125),
          'quad_J1_s5': ([0.3, -0.5, 0.8], [0.2, 0.4, -0.3], 1, 10, 1.765),
          'table_J0005': ([2, 0, 0], [0, 100, 0], 0.005, 1, 29)}
METHODS = {'rk4': 'rk4', 'leapfrog1': 'leapfrog-1', 'leapfrog2': 'leapfrog-2',
           'leapfrog3': 'leapfrog-3', 'leapfrog1_old_angle': 'euler'}
PENDULUM = """var x = 1, y = 0, u ~ 0, v = 0, lam ~ 0
x' = u
y' = v
u' = -2*lam*x
v' = 9.81 - 2*lam*y
slip: x*u + y*v = 0
output missed = abs(x^2 + y^2 - 1)
solve t in 0..2
"""
# the angle and its speed at t = 2, by elliptic functions
ANGLE, SPEED = 0.6541487371316517, -3.4552068990593297
# the network at t = 1, by extrapolation: places, then velocities
NET = [0.3360866854780158, -0.18951897406103993, 1.154936599548906,
       0.30192988479355093, -0.2319866281919426, 0.695219734824646,
       0.15526550221944482, -0.7090188560910549, 0.03583029656999818,
       0.46192268699079136, -0.10897536511981373, -0.1382755059635093]


def column(name, path='out.csv'):
    with open(path, encoding='utf-8') as file:
        rows = list(csv.reader(file))
    at = rows[0].index(name)
    return [float(row[at]) for row in rows[1:]]


# ---- rotation vectors

def scene_text(scene, h):
    phi, w, inertia, to, _ = SCENES[scene]
    return SCENE.format(J=inertia, Phi=phi, w=w, h=repr(h), to=to)


def seven_scenes(scheme, h):
    """Once for both scenes that are requested."""
    name = f'{scheme}_{h}'
    if not os.path.exists(name):
        d = run_steps(mechanics('rotation_vector_quadratic'), METHODS[scheme], h,
                '-o', 'out.csv', '--every', repr(h))
        os.rename('out.csv', name + '.csv')
        write(name, json.dumps(d['values']))
    with open(name, encoding='utf-8') as file:
        return json.load(file), name + '.csv'


def rotation(scene, scheme, h):
    """Values of Phi and w at the end, the energy at all steps."""
    words = ('-o', 'out.csv', '--every', repr(h))
    places, energy, points = '', 'energy', 'out.csv'
    if scheme == 'leapfrog1_old_angle':
        values = run_steps(scene_text(scene, h), 'euler', h, *words)['values']
    elif scene == 'table_J0005':
        values = run_steps(mechanics('rotation_vector_fast'), METHODS[scheme], h,
                     *words)['values']
    else:
        values, points = seven_scenes(scheme, h)
        places = '6,' if scene == 'quad_J1_s4' else '7,'
        energy = f'energy[{places[0]}]'
    return [[values[f'{name}[{places}{i + 1}]'] for i in range(3)]
            for name in ('Phi', 'w')], column(energy, points)


# Nine digits; of what is left of two energies that are next to each other, what
# rounding leaves in so many steps.
def check_energies(known, energy, what):
    first = energy[0]
    off = [e - first for e in energy]
    near(first, known['E0'], 1e-14*first, what)
    rounding = 1e-15*math.sqrt(len(off))
    for found, key in [(off[-1]/first, 'rel_dE_end'),
                       (max(map(abs, off))/first, 'rel_dE_max')]:
        near(found, known[key], 1e-8*abs(known[key]) + 2*rounding,
             f'{what} {key}')
    # of the steps, without the start
    spread = math.sqrt(sum(e*e for e in off)/(len(off) - 1))
    near(spread, math.sqrt(known['mse_dE']),
         1e-8*math.sqrt(known['mse_dE']) + 2*rounding*first, f'{what} mse_dE')


def test_energies_of_rotations():
    cases = REFERENCE['zh_fixed_step_methods']
    equal(sorted(cases), sorted(SCENES))
    for scene, schemes in cases.items():
        equal(sorted(schemes), sorted(METHODS))
        for scheme, rows in schemes.items():
            equal(len(rows), 4)
            for known in rows[::1 if SHARE == 1 else 3]:
                what = f'{scene} {scheme} {known["h"]}'
                (phi, w), energy = rotation(scene, scheme, known['h'])
                for i in range(3):
                    near(phi[i], known['phi'][i], 2e-12, what)
                    near(w[i], known['omega'][i],
                         2e-12*max(1, abs(known['omega'][i])), what)
                check_energies(known, energy, what)


# ---- errors and orders

def orders_of(errors):
    return [math.log2(a/b) for a, b in zip(errors, errors[1:])]


def test_errors_of_the_trapezoid():
    case = REFERENCE['pend_trapezoid_index2_t2']
    place = (math.cos(ANGLE), math.sin(ANGLE))
    velocity = (-SPEED*place[1], SPEED*place[0])
    force = (SPEED**2 + 9.81*place[1])/2
    found = {'err_pos': [], 'err_vel': [], 'err_lambda': []}
    for i, h in enumerate(case['h']):
        d = run_steps(PENDULUM, 'trapezoid', h, '--reduce', 'never', '-o', 'out.csv',
                '--every', repr(h))
        v = d['values']
        found['err_pos'].append(math.dist((v['x'], v['y']), place))
        found['err_vel'].append(math.dist((v['u'], v['v']), velocity))
        found['err_lambda'].append(abs(v['lam'] - force))
        near(max(column('missed')), case['max_pos_constraint'][i], 1e-12,
             f'constraint, h = {h}')
        for key, errors in found.items():
            near(errors[i], case[key][i],
                 1e-9 if key == 'err_lambda' else 1e-11, f'{key}, h = {h}')
    for key, known in zip(found, case['orders']):
        for a, b in zip(orders_of(found[key]), known, strict=True):
            near(a, b, 0.006, f'order of {key}')


def net_error(values, slopes):
    off = []
    for k in range(6):
        at = f'X[{k//2 + 1},{k % 2 + 1}]'
        off += [values[at] - NET[k], slopes[at + "'"] - NET[6 + k]]
    return max(map(abs, off))


def test_errors_of_a_network():
    case = REFERENCE['net_triangle2d_damped_fixed_step_t1']
    for name, method, words in [
            ('semi_implicit_euler', 'symplectic-euler', ()),
            ('explicit_euler', 'euler', ()),
            ('backward_euler', 'bdf', ('--order', '1'))]:
        known, errors = case[name], []
        for h, error in zip(known['h'], known['err_max'], strict=True):
            d = run_steps(mechanics('net2d_damped'), method, h, '--to', '1', *words)
            errors.append(net_error(d['values'], d['derivatives']))
            near(errors[-1], error, 1e-11, f'{name}, h = {h}')
        for a, b in zip(orders_of(errors), known['order'], strict=True):
            near(a, b, 1e-7, f'order of {name}')


BODY = {'x[1,': [0.5684359030584503, -0.060781651317669654,
                 -0.8204792593217828],
        'x[3,': [0.44421609816672725, -0.42161293856902854,
                 0.338990542877994]}
HANGING = {'Xc[': [-0.4713788199601837, 0.2354308104996077,
                   -2.6053021477809066],
           'Uc[': [-0.2552205991943335, -0.3784606687523598,
                   -4.7956701868256815],
           'L[': [1.1959007527668133, -1.9903959972209517,
                  -1.7616682477929073]}


def largest_off(values, known):
    return max(abs(values[f'{name}{i + 1}]'] - exact)
               for name, three in known.items() for i, exact in enumerate(three))


def distances(values):
    points = [[values[f'x[{k},{i}]'] for i in (1, 2, 3)] for k in range(1, 7)]
    return [math.dist(a, b) for i, a in enumerate(points) for b in points[:i]]


def test_accelerations_of_a_network():
    known = REFERENCE['sms_net4']['acceleration_at_start']
    path = os.path.join(ROOT, 'models/mechanics/net4.dae')
    found = dae('init', path, '--json', status=0).json['derivatives']
    for k, a in enumerate(known):
        near(found[f"X[{k//3 + 1},{k % 3 + 1}]''"], a, 1e-12*(1 + abs(a)),
             f'mass {k//3 + 1}')
    equal(len(known), 12)


def test_errors_of_exact_turns():
    """The order is 1; distances are kept to rounding, as by the reference."""
    start = [(1, 0, 0), (-1, 0, 0), (0, 0.7, 0), (0, -0.7, 0), (0, 0, 0.4),
             (0, 0, -0.4)]
    apart = [math.dist(a, b) for i, a in enumerate(start) for b in start[:i]]
    for name, case, exact in [
            ('rigid_body_steps', 'torque_free_generic_t2', BODY),
            ('rigid_body_spring_steps', 'on_spring_t1', HANGING)]:
        errors = []
        for known in REFERENCE[f'rigid_step_algorithm_{case}']['runs']:
            h = known['h']
            d = run_steps(mechanics(name), 'euler', h, '--set', f'h={h}')
            errors.append(largest_off(d['values'], exact))
            near(errors[-1], known['err_max'], 2e-11, f'{name}, h = {h}')
            if 'shape_error' not in known:
                continue
            equal(known['shape_error'] < 1e-13, True)
            off = max(abs(a - b) for a, b in
                      zip(distances(d['values']), apart, strict=True))
            equal(off < 1e-13, True, f'distances, h = {h}: {off}')
        for order in orders_of(errors):
            near(order, 1, 0.01, name)


main(globals())
