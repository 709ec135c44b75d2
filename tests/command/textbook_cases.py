"""Which models solve the cases of tests/data/reference/textbook.json, and in which
words. A Form is a model, the expression in it for each state and observable of the
case (`texts`), what of the case it does not have, what is changed in its text, and
words for the command. What no expression stands for, `made` computes from what the
expressions gave: energies, momenta and directions of networks and rotations are
worked out here from the numbers of the case, apart from the model's own outputs.

An error is measured by 1 + |value|; where the value is a sum that vanishes, as an
energy, `sizes` has an expression for the size of its terms, and their largest until
then is the measure: an energy keeps what it has lost."""

import math
from collections import namedtuple

Form = namedtuple('Form', 'model texts made without change words sizes',
                  defaults=({}, (), (), (), {}))
AXES = 'xyz'


def norm(v):
    return math.sqrt(sum(x*x for x in v))


# ---- networks of springs

def masses_at(case):
    """(indices of the masses, dimensions)"""
    names = [n for n in case['states'] if n[0] == 'X']
    return (sorted({int(n[1:-1]) for n in names}), len({n[-1] for n in names}))


def network_texts(case, velocity, shift=0):
    """X1x as X[1,1] and so on; `velocity` of mass k along axis i."""
    texts = {}
    for name in case['states']:
        k, i = int(name[1:-1]) - shift, AXES.index(name[-1]) + 1
        texts[name] = velocity.format(k, i) if name[0] == 'U' else f'X[{k},{i}]'
    return texts


def network_made(case, masses, springs, g=0):
    """Energy, momentum and angular momentum about the centre of mass."""
    numbers, d = masses_at(case)
    axes = AXES[:d]

    def vector(row, letter, k):
        return [row[f'{letter}{k}{c}'] for c in axes]

    def energy(row):
        total = 0
        for k, m in zip(numbers, masses):
            u = vector(row, 'U', k)
            total += m*norm(u)**2/2 + m*g*vector(row, 'X', k)[-1]
        for a, b, S, R0 in springs:
            x, y = vector(row, 'X', a), vector(row, 'X', b)
            total += S*(norm([p - q for p, q in zip(x, y)]) - R0)**2/2
        return total

    def momentum(i):
        return lambda row: sum(m*vector(row, 'U', k)[i]
                               for k, m in zip(numbers, masses))

    def spin(i, j):
        def of(row):
            centre = [sum(m*vector(row, 'X', k)[c] for k, m in zip(numbers, masses))
                      / sum(masses) for c in range(d)]
            total = 0
            for k, m in zip(numbers, masses):
                x, u = vector(row, 'X', k), vector(row, 'U', k)
                total += m*((x[i] - centre[i])*u[j] - (x[j] - centre[j])*u[i])
            return total
        return of

    made = {'energy': energy, 'Px': momentum(0), 'Py': momentum(1)}
    if d == 2:
        made['Lz_about_cm'] = spin(0, 1)
    else:
        made.update(Pz=momentum(2), Lx=spin(1, 2), Ly=spin(2, 0), Lz=spin(0, 1))
    return {n: f for n, f in made.items() if n in case['observables']}


SECOND, FIRST = "X[{},{}]'", 'U[{},{}]'


# the networks from lists without their dashpots; the rate of a length then occurs
# with a factor of 0
UNDAMPED = {'networks/triangle': ((',0.5,1\n', ',0,1\n'), (',0.6,1\n', ',0,1\n'),
                                  (',0.8,1.4', ',0,1.4')),
            'networks/tetrahedron': (
                *((f',{D},1\n', ',0,1\n') for D in ('1', '0.5', '2', '0.8', '1.2',
                                                    '0.3')),
                ("X[k]'' = pull(k)", "X[k]'' = pull(k) - node.m[k]*[0, 0, 9.81]"))}


def network_forms(case, models, masses, springs, g=0, is_damped=True):
    made = network_made(case, masses, springs, g)
    return [Form(m, network_texts(case, FIRST if m.endswith('tensions')
                                  and m.startswith('mechanics') else SECOND), made,
                 change=() if is_damped else UNDAMPED.get(m.rsplit('_', 1)[0], ()))
            for m in models]


def networks(cases):
    for key, models, g in (
            ('net_triangle2d_damped',
             ['mechanics/net2d_damped', 'mechanics/net2d_damped_tensions',
              'networks/triangle_ode', 'networks/triangle_tensions',
              'networks/triangle_rates'], 0),
            ('net_triangle2d_conservative',
             ['mechanics/net2d_conservative',
              'mechanics/net2d_conservative_tensions', 'networks/triangle_ode',
              'networks/triangle_tensions', 'networks/triangle_rates'], 0),
            ('net_tetra3d_damped',
             ['mechanics/net3d_damped', 'mechanics/net3d_damped_tensions',
              'networks/tetrahedron_ode', 'networks/tetrahedron_tensions',
              'networks/tetrahedron_rates'], 0),
            ('net_tetra3d_conservative_gravity',
             ['mechanics/net3d_gravity', 'mechanics/net3d_gravity_tensions',
              'networks/tetrahedron_ode', 'networks/tetrahedron_tensions',
              'networks/tetrahedron_rates'], 9.81)):
        p = cases[key]['parameters']
        springs = [(a, b, S, R0) for a, b, S, D, R0 in p['springs [a,b,S,D,R0]']]
        yield key, network_forms(cases[key], models, p['masses'], springs, g,
                                 key.endswith('_damped'))

    case = cases['sms_net4']
    p = case['parameters']
    yield 'sms_net4', network_forms(
        case, ['mechanics/net4', 'mechanics/net4_tensions', 'networks/net4_ode',
               'networks/net4_tensions'], p['masses'], p['springs [a,b,k,l]'])

    case = cases['net_chain5_hanging']
    springs = [(k, k + 1, 1000, 0.2) for k in range(1, 6)]
    forms = network_forms(case, ['networks/chain5_ode', 'networks/chain5_tensions',
                                 'networks/chain5_rates'], [0.1]*6, springs, 9.81)
    texts = network_texts(case, SECOND, shift=1)
    texts.update({n: '0' for n in ('X1x', 'X1y', 'U1x', 'U1y')})
    forms.append(Form('mechanics/chain_hanging', texts, forms[0].made))
    yield 'net_chain5_hanging', forms

    yield 'net_1d_anchor', [
        Form('networks/anchor_' + form, {'x': 'X[2,1]', 'u': "X[2,1]'"})
        for form in ('ode', 'tensions', 'rates')]


# ---- rigid bodies

BODY = [(1, 1), (1, -1), (2, 0.7), (2, -0.7), (3, 0.4), (3, -0.4)]  # axis, place
CENTRE = ('Xcm', 'Ycm', 'Zcm', 'Ux', 'Uy', 'Uz')


def rigid_texts(n, place, energy='energy'):
    texts = {f'x{k}{c}': place.format(k, i + 1)
             for k in range(1, n + 1) for i, c in enumerate(AXES)}
    for i, c in enumerate(AXES):
        texts['L' + c] = f'L[{i + 1}]'
        texts['W' + c + ' (space frame)'*(c == 'z')] = f'W[{i + 1}]'
    texts['total energy'] = energy
    texts['rotational energy'] = 'dot(W, L)/2'
    return texts


def with_centre(texts):
    for i, c in enumerate('XYZ'):
        texts[c + 'cm'] = f'Xc[{i + 1}]'
        texts['U' + c.lower()] = f'Uc[{i + 1}]'
    return texts


def rigid_bodies():
    axes = rigid_texts(6, '')
    for k, (axis, place) in enumerate(BODY):
        for i, c in enumerate(AXES):
            axes[f'x{k + 1}{c}'] = f'{place}*e[{axis},{i + 1}]'
    turned = 'sum(x0[{},j]*e[j,{}] for j in 1..3)'
    yield 'rigid_torque_free_generic', [
        Form('mechanics/rigid_body', rigid_texts(6, 'x[{},{}]'), without=CENTRE),
        Form('mechanics/rigid_body_matrix', with_centre(rigid_texts(6, 'x[{},{}]'))),
        Form('mechanics/rigid_body_steps', rigid_texts(6, 'x[{},{}]'),
             without=CENTRE)]
    yield 'rigid_torque_free_intermediate', [
        Form('mechanics/rigid_body_middle_axis', axes, without=CENTRE)]
    yield 'rigid_on_spring_gravity', [
        Form('mechanics/rigid_body_spring', with_centre(rigid_texts(4, 'x[{},{}]'))),
        Form('mechanics/rigid_body_spring_steps', with_centre(rigid_texts(4, turned)))]


# ---- rotation vectors

def stumpff(k, s):
    if abs(s) < 0.01:
        return sum((-s)**n/math.factorial(k + 2*n) for n in range(6))
    a = math.sqrt(s)
    return [math.cos(a), math.sin(a)/a, (1 - math.cos(a))/s][k]


def director(i):
    """The axis k = e3, turned by Phi."""
    def of(row):
        x, y, z = (row['Phi_' + c] for c in AXES)
        s = x*x + y*y + z*z
        c0, c1, c2 = (stumpff(k, s) for k in range(3))
        return [c1*y + c2*z*x, -c1*x + c2*z*y, c0 + c2*z*z][i]
    return of


DIRECTOR = ['d_x', 'd_y', 'd_z (d = P k)']
SCENES = ['s1_axis_spin', 's2_axis_rest', 's3a_collinear_away', 's3b_collinear_back',
          's3c_rest', 's4_spatial', 's5_generic']


def vector_texts(scene):
    """Of one of several scenes, or '' where there is one."""
    texts = {'energy': f'energy[{scene}]' if scene else 'energy'}
    for i, c in enumerate(AXES):
        at = f'[{scene},{i + 1}]' if scene else f'[{i + 1}]'
        texts['Phi_' + c], texts['w_' + c] = 'Phi' + at, 'w' + at
    return texts


def rotation_vectors(cases):
    made = {n: director(i) for i, n in enumerate(DIRECTOR)}
    made['|Phi|'] = lambda row: norm([row['Phi_' + c] for c in AXES])
    for potential in 'quadratic', 'dipole':
        name = 'zh_quadratic_J1_' if potential == 'quadratic' else 'zh_dipole_J1_C1_'
        for scene, what in enumerate(SCENES, 1):
            if name + what not in cases:
                continue
            forms = [Form('mechanics/rotation_vector_' + potential,
                          vector_texts(scene), made)]
            if potential == 'dipole':
                forms.append(director_form(scene))
            if name + what == 'zh_quadratic_J1_s4_spatial':
                forms.append(Form('mechanics/rotation_vector', vector_texts(''), made))
            if name + what == 'zh_dipole_J1_C1_s1_axis_spin':
                texts = vector_texts('')
                texts['energy'] = 'dot(w, w)/2 - C*(1 + tilt^2)'
                forms.append(Form('mechanics/rotation_vector_turn', texts, made))
            yield name + what, forms
    form = director_form(6)
    yield 'zh_director_s4', [form._replace(
        texts={**form.texts, 'd_z': 'd[6,3]'}, without=())]
    yield 'zh_quadratic_fast_J0.005', [
        Form('mechanics/rotation_vector_fast', vector_texts(''), made)]


def director_form(scene):
    texts = {'energy': f'energy[{scene}]'}
    for i, c in enumerate(AXES):
        texts['w_' + c] = f'w[{scene},{i + 1}]'
        texts[DIRECTOR[i]] = f'd[{scene},{i + 1}]'
    return Form('mechanics/director_dipole', texts,
                without=('Phi_x', 'Phi_y', 'Phi_z', '|Phi|'))


# ---- pendulums

ROD = 'tension = lambda of c=sqrt(x^2+y^2)-L'
QUADRATIC = 'lambda of c=x^2+y^2-L^2'
PENDULUM_ENERGY = 'energy m v^2/2 - m g y'
# the models begin half a radian below the horizontal
LEVEL = (('x = L*cos(0.5) {m}, y ~ L*sin(0.5) {m}', 'x ~ L {m}, y = 0 {m}'),
         ('x = L*cos(0.5) {m}, y = L*sin(0.5) {m}', 'x = L {m}, y = 0 {m}'))


def redundant(model, u='u', v='v', rod='2*lam*L', change=LEVEL, words=()):
    texts = {'x': 'x', 'y': 'y', 'vx': u, 'vy': v, ROD: rod,
             QUADRATIC: f'({rod})/(2*L)',
             PENDULUM_ENERGY: f'm*(({u})^2 + ({v})^2)/2 - m*g*y'}
    size = {PENDULUM_ENERGY: f'm*(({u})^2 + ({v})^2)/2 + abs(m*g*y)'}
    return Form('mechanics/' + model, texts, without=('phi', 'phidot'),
                change=change, words=words, sizes=size)


def pendulums():
    yield 'pend_planar', [
        Form('mechanics/pendulum_minimal', {
            'phi': 'phi', 'phidot': "phi'", 'x': 'x', 'y': 'y',
            'vx': "-L*sin(phi)*phi'", 'vy': "L*cos(phi)*phi'", ROD: 'force',
            QUADRATIC: 'force/(2*L)', PENDULUM_ENERGY: 'energy'},
             sizes={PENDULUM_ENERGY: "m*(L*phi')^2/2 + abs(m*g*y)"}),
        redundant('pendulum_turning', change=(), words=('--set', 'speed=0')),
        redundant('pendulum'), redundant('pendulum_second_order', "x'", "y'"),
        redundant('pendulum_square_root', rod='F'), redundant('pendulum_stabilized'),
        redundant('pendulum_velocity'), redundant('pendulum_acceleration')]
    angles = {'theta1': 'theta1', 'theta2 (both from the downward vertical)': 'theta2',
              'w1': "theta1'", 'w2': "theta2'"}
    plain = {n: n for n in ('x1', 'y1', 'x2', 'y2', 'energy')}
    lifted = ' + abs(m1*g*y1) + abs(m2*g*y2)'
    yield 'pend_double', [
        Form('mechanics/double_pendulum', {
            **angles, **plain, 'T1': 'T1', 'T2': 'T2', 'vx1': "cos(theta1)*theta1'",
            'vy1': "-sin(theta1)*theta1'",
            'vx2': "cos(theta1)*theta1' + cos(theta2)*theta2'",
            'vy2': "-sin(theta1)*theta1' - sin(theta2)*theta2'"},
             sizes={'energy': 'kinetic' + lifted}),
        Form('mechanics/double_pendulum_level', {
            **plain, 'T1': '2*lam1*l1', 'T2': '2*lam2*l2', 'vx1': 'u1', 'vy1': 'v1',
            'vx2': 'u2', 'vy2': 'v2'}, without=tuple(angles),
             sizes={'energy': 'm1*(u1^2 + v1^2)/2 + m2*(u2^2 + v2^2)/2' + lifted})]
    yield 'pend_elastic', [Form('mechanics/elastic_pendulum', {
        'x': 'X[1]', 'y': 'X[2]', 'vx': "X[1]'", 'vy': "X[2]'"})]
    both = {'x': 'x', 'y': 'y', 'vx': "x'", 'vy': "y'", 'platform_angle': 'psi',
            'sum of the multipliers of c_i=|p_i-a_i|^2-L^2': 'sum(lam)'}
    made = {'phi': lambda row: math.atan2(row['y'], row['x']),
            'phidot': lambda row: row['x']*row['vy'] - row['y']*row['vx']}
    words = ('--set', 'b=0.4', '--set', 'I=0.3')
    yield 'platform_three_rods', [
        Form('mechanics/platform_' + rods, both, made, words=words)
        for rods in ('three_rods', 'two_rods')]


# ---- tanks, reactors, integrals and the rest

COSINE = (('1 + sin(t)/2', '1 + cos(t)/2'),)
STEADY = ('batch_reactor_steady', 'batch_reactor_bound')


def processes():
    tank1, tank2 = {'tank1_c1': 'c1', 'tank1_c2': 'c2'}, {'tank2_c1': 'c1'}
    chain = {'chain_c1': 'c1', 'chain_c2': 'c2'}
    for key, change in ('tanks_exact_sin', ()), ('tanks_exact_cos', COSINE):
        every = (*tank1, *tank2, *chain)
        yield key, [
            Form('process/' + name, texts, change=change,
                 without=tuple(n for n in every if n not in texts))
            for name, texts in (('tank1', tank1), ('tank2', tank2), ('chain', chain))]
    yield 'batch_reactor', [
        Form('process/' + name, {n: n for n in 'ABC'})
        for name in ('batch_reactor', 'batch_reactor_balance')]
    yield 'batch_reactor_pseudo_steady', [
        Form('process/' + name, {**{n: n for n in 'ABC'}, 'A + 2C': 'A + 2*C'})
        for name in STEADY]
    yield 'stiff_limit', [
        Form('limits/stiff_limit', {
            f'{c}{i}': f'{c}[{i}]' for i in (1, 2, 3) for c in 'xy'},
             without=('dae_x', 'dae_y')),
        Form('limits/stiff_limit_dae', {'dae_x': 'x', 'dae_y': 'y'}, without=tuple(
            f'{c}{i}' for i in (1, 2, 3) for c in 'xy'))]
    yield 'energy_spring', [
        Form('limits/energy_equation_differentiated', {'x': 'x'}),
        Form('oscillators/spring', {'x': 'x'}, change=(
            ('x = 1 {m}', 'x = 0 {m}'), ("x' = 0", "x' = 2")))]
    yield 'md_lj3', [Form('molecules/lennard_jones', {
        **{f'{letter}{k}{c}': f'X[{k},{i + 1}]' + "'"*(letter == 'U')
           for letter in 'XU' for k in (1, 2, 3) for i, c in enumerate('xy')},
        'energy': 'energy'})]


def forms_of(cases):
    """{key: its forms}"""
    return {key: forms for group in (networks(cases), rigid_bodies(),
                                     rotation_vectors(cases), pendulums(), processes())
            for key, forms in group}
