"""dae orders --methods: every method at fixed steps has the order that its formula
says, on models of index 1 with closed forms, on equations of motion, and on the
pendulum with its index reduced, beside the same equations as they stand."""

import os

from picture_files import Picture
from support import ROOT, contains, dae, equal, main, near, write

FAMILIES = ('bdf', 'bdf-flc', 'ndf')
INDEX_1 = ('process/tank1', 'medicine/gompertz', 'chemistry/decay_series',
           'circuits/low_pass', 'process/batch_growth',
           'oscillators/spring_force')
# [SR97, table 1]: kappa of the NDFs. Errors are by kappa*gamma_k + 1/(k + 1)
# where those of BDF are by 1/(k + 1), gamma_k = 1 + 1/2 + ... + 1/k.
KAPPA = (-0.1850, -1/9, -0.0823, -0.0415, 0)


def model(name):
    return os.path.join(ROOT, 'models', name + '.dae')


def orders(*words):
    return dae('orders', *words, '--study', 'steps', '--json', '--no-times',
               status=0).json


def formulas(document, way='auto'):
    return [(r['method'], r['order']) for r in document['observed_order']
            if r['reduce'] == way]


def families(last=5):
    return [(m, k) for m in FAMILIES for k in range(1, last + 1)]


def check_orders(document, way='auto', differential=()):
    """Of all unknowns within 0.15; of `differential` every formula shows one."""
    for row in document['observed_order']:
        if row['reduce'] != way:
            continue
        what = f"{document['model']}: {row['method']}{row['order']}, {way}, "
        for name, order in row['largest'].items():
            if order is not None:
                near(order, row['order'], 0.15, what + name)
            else:
                equal(name in differential, False, what + name)


def test_models_of_index_1():
    for name in INDEX_1:
        document = orders(model(name), '--to', '2', '--methods',
                          'bdf,bdf-flc,ndf,trapezoid', '--steps',
                          '0.02,0.01,0.005')
        equal(document['reference'], 'expect', name)
        equal(document['precision'], 'double')
        equal(formulas(document), families() + [('trapezoid', 2)])
        states = [n for n, role in document['roles'].items()
                  if role == 'differential']
        equal(len(states) in (1, 2), True)
        check_orders(document, 'auto', states)


def test_equations_of_motion():
    spring = orders(model('oscillators/spring'), '--methods',
                    'verlet,rk4,trapezoid,euler,symplectic-euler,euler-linear',
                    '--steps', '0.02,0.01,0.005')
    equal(formulas(spring), [('verlet', 2), ('rk4', 4), ('trapezoid', 2),
                             ('euler', 1), ('symplectic-euler', 1),
                             ('euler-linear', 1)])
    for row in spring['observed_order']:
        near(row['largest']['x'], row['order'], 0.15, row['method'])
        # velocities that stand half a step off: of order 2 on this path
        if row['method'] != 'symplectic-euler':
            near(row['largest']["x'"], row['order'], 0.15, row['method'])
    # x'' = 2 x^3 from 1 at rest of 1/(1 + t)
    write('fall.dae', "var x = 1\ninit x' = -1\nx'' = 2*x^3\nsolve t in 0..1\n"
          'expect x ~ 1/(1 + t) within 1 always\n'
          "expect x' ~ -1/(1 + t)^2 within 1 always\n")
    check_orders(orders('fall.dae', '--methods', 'verlet,rk4,bdf,trapezoid',
                        '--orders', '1..4', '--steps', '0.02,0.01,0.005'),
                 'auto', ('x', "x'"))


# Where the index is reduced all unknowns have the order, the multiplier too. As
# the equations stand places and velocities have.
def test_pendulum():
    document = orders(model('mechanics/pendulum'), '--to', '0.5', '--methods',
                      'bdf,bdf-flc,ndf,trapezoid', '--steps', '0.01..0.0025')
    known = families() + [('trapezoid', 2)]
    equal(formulas(document), known)
    equal(formulas(document, 'never'), known)
    check_orders(document, 'auto', ('x', 'y', 'u', 'v', 'lam'))
    for row in document['observed_order']:
        for name in ('x', 'y'):
            near(row['largest'][name], row['order'], 0.15,
                 f"{row['method']}{row['order']} {name}")
    text = dae('orders', model('mechanics/pendulum'), '--to', '0.5',
               '--methods', 'bdf,trapezoid', '--steps', '0.01..0.0025',
               '--orders', '1..3', '--study', 'steps', status=0).out
    contains(text, 'largest error of the run, index reduced')
    contains(text, 'largest error of the run, as it stands')
    contains(' '.join(text.split()), 'bdf, index reduced: errors of the run '
             'are of order 1 to 3. trapezoid, index reduced: errors of the run '
             'are of order 2.')


def errors(document, method, order):
    return [r['errors'] for r in document['fixed_step']
            if (r['method'], r['order']) == (method, order)]


def test_constants_of_ndf():
    document = orders(model('process/batch_growth'), '--methods', 'bdf,ndf',
                      '--steps', '0.02,0.01')
    for k, kappa in enumerate(KAPPA, 1):
        gamma = sum(1/j for j in range(1, k + 1))
        ratio = [a['x']/b['x'] for a, b in zip(errors(document, 'ndf', k),
                                               errors(document, 'bdf', k))]
        # what is left is of the first order in the step
        near(2*ratio[1] - ratio[0], (k + 1)*(kappa*gamma + 1/(k + 1)), 0.03,
             f'order {k}')


# Steps that fail by far at loose tolerances: their Jacobians, of predictions with
# diodes that conduct too much, are of no use at shorter ones. Values as the
# model's text has them from the Test Set for IVP Solvers.
def test_loose_tolerances():
    reference = (-0.5562145012262709e-2, 3.006522471903042, 2.849958788608128,
                 2.926422536206241, 2.704617865010554, 2.761837778393145,
                 4.770927631616772, 1.236995868091548)
    for tolerance, method, atol in (
            (r, m, a) for r in (1e-2, 5e-3, 2e-3) for m in FAMILIES
            for a in (r, 1e-7)):
        what = f'{method} {tolerance} {atol}'
        run = dae('run', model('circuits/transistor_amplifier'), '--method',
                  method, '--rtol', str(tolerance), '--atol', str(atol),
                  '--json').json
        equal(run['status'], 'done', what)
        for i, value in enumerate(reference, 1):
            near(run['values'][f'u[{i}]'], value,
                 30*tolerance*(1 + abs(value)), what)


# One formula by two programs: in extended precision as the equations stand, and
# by the step machine in double.
def test_bdf_is_bdf():
    words = [model('process/tank2'), '--to', '2', '--steps', '0.1,0.05',
             '--orders', '1..4']
    mine = orders(*words)
    other = [r for r in orders(*words, '--methods', 'bdf')['fixed_step']
             if r['reduce'] == 'never']
    equal(len(other), len(mine['fixed_step']))
    for a, b in zip(mine['fixed_step'], other):
        equal((a['order'], a['step'], a['steps']),
              (b['order'], b['step'], b['steps']))
        equal((a['method'], a['reduce']), ('bdf', 'never'))
        for key in ('errors', 'errors_max'):
            near(a[key]['c1'], b[key]['c1'], 1e-12, key)


# Each method with each highest order at each tolerance, and what that takes.
def test_tolerances():
    words = ['orders', model('circuits/low_pass'), '--study', 'tolerances',
             '--methods', 'bdf,bdf-flc,ndf', '--orders', '2,5',
             '--tolerances', '1e-3..1e-7']
    document = dae(*words, '--json', '--no-times', status=0).json
    rows = document['adaptive']
    equal([(r['method'], r['max_order']) for r in rows[::5]],
          [(m, k) for m in FAMILIES for k in (2, 5)])
    for i in range(0, len(rows), 5):
        series = rows[i:i + 5]
        equal([r['rtol'] for r in series], [1e-3, 1e-4, 1e-5, 1e-6, 1e-7])
        for a, b in zip(series, series[1:]):
            equal(a['error'] > b['error'] > 0, True, 'errors fall')
        # errors of one step, of h^(k + 1), are held: 10^(4/(k + 1)) times the steps
        growth = series[4]['steps'] / series[0]['steps']
        most = 10**(4/(series[0]['max_order'] + 1))
        equal(most / 3 < growth < 4*most, True, f'{growth}')
        for r in series:
            equal(r['factorizations'] <= r['residual_evals'], True)
            equal(set(r) >= {'jacobian_evals', 'reduce'}, True)
    out = dae(*words, '-o', 'a.svg', status=0).out
    contains(out, 'takes the fewest residual evaluations')
    for head in ('factorizations', 'residuals', 'seconds', 'bdf-flc'):
        contains(out, head)
    p = Picture('a.svg')
    equal([len(panel.curves) for panel in p.panels], [6])
    contains(p.texts, 'bdf-flc5')


def test_pictures():
    out = dae('orders', model('mechanics/pendulum'), '--to', '0.5', '--methods',
              'bdf,trapezoid', '--orders', '2,3', '--steps', '0.01..0.0025',
              '--study', 'steps', '-o', 'a.svg', status=0).out
    # four variables, reduced and as it stands: bdf2, bdf3, trapezoid
    contains(out, 'a.svg: 24 curves')
    p = Picture('a.svg')
    equal([len(panel.curves) for panel in p.panels], [3] * 8)
    for text in ['lam (index 3): index reduced', 'lam (index 3): as it stands',
                 'trapezoid', 'bdf2']:
        contains(p.texts, text)
    dae('orders', model('oscillators/spring'), '--methods', 'verlet,rk4',
        '--study', 'steps', '-o', 'b.svg', '--quiet', status=0)
    p = Picture('b.svg')
    equal([len(panel.curves) for panel in p.panels], [2, 2])
    # a triangle for each curve, of its slope, that stands below it
    equal([p.texts.count(order) for order in ('1', '2', '3', '4')],
          [0, 2, 0, 2])


def test_what_does_not_fit():
    name = model('process/tank1')
    for words, text in [
            (['--methods', 'verlet'], '`verlet` does not fit'),
            (['--methods', 'bdf,rk4'], '`rk4` does not fit'),
            (['--methods', 'bdf,nonsense'], 'no method `nonsense`'),
            (['--methods', 'bdf', '--pattern', '1,2'], 'do not go'),
            (['--methods', 'bdf', '--perturb', 'c2=1'], 'do not go'),
            (['--methods', 'ndf', '--orders', '6'], '`order` cannot be 6'),
            (['--methods', 'trapezoid', '--study', 'tolerances'],
             '`trapezoid` cannot choose its step')]:
        result = dae('orders', name, '--to', '2', '--steps', '0.1,0.05',
                     *words, status=2) if '--study' not in words else dae(
                         'orders', name, *words, status=2)
        contains(result.err, text)
        equal(result.out, '')
    # it has been studied at steps
    document = dae('orders', name, '--to', '2', '--steps', '0.1,0.05',
                   '--methods', 'trapezoid,ndf', '--orders', '1,6',
                   '--tolerances', '1e-3', '--json', status=0).json
    equal(formulas(document), [('trapezoid', 2), ('ndf', 1)])
    equal([r['method'] for r in document['adaptive']], ['ndf'])


main(globals())
