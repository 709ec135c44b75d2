"""dae orders: errors and observed orders of tanks and chains against
tests/data/reference/bdf_orders.json, roles, wrong starts, unequal steps, the
study at tolerances, sentences, what is refused, and every command of
docs/orders.md. Other models have solutions in closed form."""

import json
import math
import os
import re

from lesson import numbers_of, page, play, words_of
from picture_files import Picture
from support import ROOT, contains, dae, equal, main, near, write

STEPS = ['0.1', '0.05', '0.025', '0.0125']
# of the four variables of the reference: model, unknown
PLACES = {'tank1_c2': ('tank1', 'c2'), 'tank2_c1': ('tank2', 'c1'),
          'chain_c2': ('chain', 'c2'), 'chain_c1': ('chain', 'c1')}
LISTS = {'one_step_exact_history': 'errors_first',
         'end_of_run_exact_start': 'errors',
         'max_over_run_exact_start': 'errors_max'}
SIGNALS = {'sin': ('1 + sin(t)/2', 'cos(t)/2', '-sin(t)/2',
                   '1 + (a/2)*(a*sin(t) - cos(t))/(a^2 + 1)'),
           'cos': ('1 + cos(t)/2', '-sin(t)/2', '-cos(t)/2',
                   '1 + (a/2)*(a*cos(t) + sin(t))/(a^2 + 1)')}
TANK1 = """let a = 1/2
var c1, c2 = 0.2
c2' = a*(c1 - c2)
c1 = {0}
let p = {3}
solve t in 0..2
expect c1 ~ {0} within 1e-4 always
expect c2 ~ p + (0.2 - initial(p))*exp(-a*t) within 1e-4 always
"""
TANK2 = """let a = 1/2
var c1, c2
c2' = a*(c1 - c2)
c2 = {0}
solve t in 0..2
expect c1 ~ {0} + ({1})/a within 1e-4 always
expect c2 ~ {0} within 1e-4 always
"""
CHAIN = """var c1, c2, c3
c2' = c1
c3' = c2
c3 = {0}
solve t in 0..2
expect c1 ~ {2} within 1e-4 always
expect c2 ~ {1} within 1e-4 always
expect c3 ~ {0} within 1e-4 always
"""
PENDULUM = os.path.join(ROOT, 'models/mechanics/pendulum.dae')


def model(name):
    return os.path.join(ROOT, 'models/process', name + '.dae')


def reference():
    with open(os.path.join(
            ROOT, 'tests/data/reference/bdf_orders.json')) as file:
        return json.load(file)


def orders(*words, status=0):
    return dae('orders', *words, '--json', '--no-times', status=status).json


def write_models(signal):
    parts = SIGNALS[signal]
    text = TANK1.replace('initial(p)', '(1 - a/2/(a^2 + 1))' if signal == 'sin'
                         else '(1 + a^2/2/(a^2 + 1))')
    write('tank1.dae', text.format(*parts))
    write('tank2.dae', TANK2.format(*parts))
    write('chain.dae', CHAIN.format(*parts))


def study(name, *words):
    return orders(name + '.dae', '--study', 'steps', '--orders', '1..6',
                  '--steps', ','.join(STEPS), *words)


# ---- the tanks and the chain

def check_errors(known, documents):
    count = 0
    for run, lists in known['runs'].items():
        for kind, key in LISTS.items():
            for place, values in lists[kind].items():
                name, unknown = PLACES[place]
                rows = [r for r in documents[name]['fixed_step']
                        if r['order'] == int(run[3:])]
                equal([r['step'] for r in rows], [float(h) for h in STEPS])
                for row, error in zip(rows, values['err']):
                    near(row[key][unknown], float(error),
                         1e-6 * abs(float(error)), f'{run} {kind} {place}')
                    count += 1
    equal(count, 6 * 4 * (4 + 4 + 3))


# Orders of the shortest pair of steps, as the reference has them for each pair.
def check_orders(known, documents):
    for run, lists in known['runs'].items():
        for kind, key in [('one_step_exact_history', 'local'),
                          ('end_of_run_exact_start', 'global')]:
            for place, values in lists[kind].items():
                name, unknown = PLACES[place]
                row = documents[name]['observed_order'][int(run[3:]) - 1]
                equal(row['order'], int(run[3:]))
                near(row[key][unknown], values['order'][-1], 1e-3,
                     f'{run} {kind} {place}')


# Orders of all pairs, of the largest errors too, from the errors of the document.
def check_pairs(known, documents):
    count = 0
    for run, lists in known['runs'].items():
        for kind, key in LISTS.items():
            for place, values in lists[kind].items():
                name, unknown = PLACES[place]
                off = [r[key][unknown] for r in documents[name]['fixed_step']
                       if r['order'] == int(run[3:])]
                for a, b, order in zip(off, off[1:], values['order'],
                                       strict=False):
                    near(math.log2(abs(a/b)), order, 6e-4,
                         f'{run} {kind} {place}')
                    count += 1
    equal(count, 6 * 3 * (4 + 4 + 3))


def test_tanks_and_chain():
    for signal in SIGNALS:
        write_models(signal)
        documents = {name: study(name) for name in ('tank1', 'tank2', 'chain')}
        known = reference()['tanks_bdf_' + signal]
        for document in documents.values():
            equal(document['reference'], 'expect')
            equal(document['precision'], 'extended')
            equal(document['t_end'], 2)
        check_errors(known, documents)
        check_orders(known, documents)
        check_pairs(known, documents)


def test_the_models_of_the_library_have_closed_forms():
    for name in ('tank1', 'tank2', 'chain'):
        document = orders(model(name), '--study', 'steps', '--orders', '1,2',
                          '--to', '2', '--steps', '0.1,0.05')
        equal(document['reference'], 'expect', name)
        known = reference()['tanks_bdf_sin']['runs']['bdf1']
        for place, (of, unknown) in PLACES.items():
            if of == name:
                near(document['fixed_step'][0]['errors'][unknown],
                     float(known['end_of_run_exact_start'][place]['err'][0]),
                     1e-12, place)


def test_roles():
    for name, roles in [
            ('tank1', {'c1': 'index 1', 'c2': 'differential'}),
            ('tank2', {'c1': 'index 2', 'c2': 'differential'}),
            ('chain', {'c1': 'index 3', 'c2': 'index 2',
                       'c3': 'differential'})]:
        document = orders(model(name), '--study', 'steps', '--orders', '1',
                          '--to', '2', '--steps', '0.5')
        equal(document['roles'], roles)
        # by role
        equal(list(document['roles'])[-1], 'c1')
    document = orders(PENDULUM, '--study', 'steps', '--orders', '1', '--steps',
                      '0.1', '--to', '0.2')
    kinds = {}
    for name, role in document['roles'].items():
        kinds.setdefault(role, set()).add(name)
    equal(sorted(len(names) for names in kinds.values()), [1, 2, 2])
    equal(sorted(kinds), ['differential', 'index 2', 'index 3'])


# (gamma''/2)(h_old/h_new - 1) with steps h, 2h, h, 2h, ...: +1/2 and -1/4 of
# gamma'' however short the steps are
def test_unequal_steps():
    write_models('sin')
    for count, known in reference()['chain_be_variable_steps'].items():
        if not count.startswith('N='):
            continue
        n = int(count[2:])
        document = orders('chain.dae', '--study', 'steps', '--orders', '1',
                          '--steps', repr(2 / (3 * n)), '--pattern', '1,2')
        row = document['fixed_step'][0]
        equal(row['steps'], 2 * n)
        near(row['errors_settled']['c1'],
             float(known['max_err_c1_after_2_steps']), 1e-8, count)
        near(row['errors']['c1'] / (-math.sin(2) / 2),
             float(known['last_two_c1_err_over_gamma2'][1]), 1e-8, count)
    document = study('chain')
    for row in document['unequal_steps']['observed_order'][:5]:
        near(row['settled']['c1'], row['order'] - 1, 0.05, 'unequal c1')
        near(row['settled']['c2'], row['order'], 0.05, 'unequal c2')
    equal(document['unequal_steps']['pattern'], [1, 2])


def first_errors(name, what, h, unknown):
    document = orders(name + '.dae', '--study', 'steps', '--orders', '1',
                      '--steps', h, '--perturb', what)
    return document['perturbed'][0]['errors'][unknown]


def test_wrong_starts():
    write_models('sin')
    cases = [('tank2', 'c2=0.01', 'c1', 'tank2_c1_err_steps123'),
             ('chain', 'c3=0.01', 'c2',
              'chain_delta_in_c3_err_c2_steps1234'),
             ('chain', 'c3=0.01', 'c1',
              'chain_delta_in_c3_err_c1_steps1234'),
             ('chain', 'c2=0.01', 'c1', 'chain_delta_in_c2_err_c1_steps123')]
    known = reference()['be_inconsistent_start_delta_0.01']
    for h in ('0.1', '0.01', '0.001'):
        for name, what, unknown, key in cases:
            found = first_errors(name, what, h, unknown)
            for value, error in zip(found, known['h=' + h][key]):
                near(value, float(error), 1e-9 * max(1, abs(float(error))),
                     f'{name} {what} {h}')
    # what is wrong in c1 of either tank is never read
    for name in ('tank1', 'tank2'):
        equal(first_errors(name, 'c1=0.01', '0.1', 'c1'),
              first_errors(name, 'c1=5', '0.1', 'c1'), name)
    out = ' '.join(dae('orders', 'chain.dae', '--study', 'steps', '--orders',
                       '1', '--steps', '0.1,0.01', '--perturb', 'c3=0.01',
                       status=0).out.split())
    contains(out, 'With c3 wrong by 0.01 at the start, and backward Euler:')
    contains(out, 'c2 is wrong by -1 in the first step at h = 0.01, and by '
             'more the shorter it is (as h^-1); right again from step 2 on.')
    contains(out, 'c1 is wrong by -100 in the first step at h = 0.01, and by '
             'more the shorter it is (as h^-2); right again from step 3 on.')


# ---- sentences

def sentence(*words):
    return ' '.join(orders(*words, '--study', 'steps')['summary'].split())


def test_what_is_seen():
    write_models('cos')
    words = ['--steps', ','.join(STEPS)]
    text = sentence('chain.dae', *words)
    contains(text, 'c1 is of index 3: with backward Euler its first-step error '
             'does not shrink with the step; with equal steps it is of order 1 '
             'from the second step on, with unequal ones never.')
    contains(text, 'c2 is of index 2: with backward Euler its first-step error '
             'is of order 1; with equal steps and unequal ones it is of order '
             '1.')
    text = sentence('tank2.dae', *words)
    contains(text, 'c1 is of index 2: with backward Euler its first-step error '
             'is of order 1; over the run it is of order 1. With BDFk up to '
             'k = 5 it is of order k in the first step and k over the run.')
    contains(sentence('tank1.dae', *words), 'c2: the error of one step is of '
             'order k + 1, over the run of order k, with BDFk up to k = 5.')
    # measured: at h = 0 and nearly there gamma'' is hidden by its zero
    text = sentence('chain.dae', '--orders', '2', *words)
    contains(text, 'c1 is of index 3: with BDF2 its first-step error is of '
             'order 1; with equal steps it is of order 2 from step 3 on, with '
             'unequal ones of order 1.')
    contains(sentence('tank1.dae', '--orders', '6', '--steps', '0.1'),
             'BDF6 is stable within 17.8 degrees of the negative real axis')


def test_text():
    write_models('cos')
    out = dae('orders', 'chain.dae', '--study', 'steps', '--orders', '1,2',
              '--steps', '0.1..0.0125', status=0).out
    contains(out, 'the closed forms of the model')
    contains(out, 'rounding alone: c3')
    lines = [line.split() for line in out.splitlines()]
    # the block of c1 in the first table: one step
    at = next(i for i, line in enumerate(lines)
              if line[:3] == ['c1', 'index', '3'])
    equal(lines[at][4], '-1.194e-01')
    equal(lines[at + 3][0], '0.0125')
    equal(lines[at + 4][0], 'order')
    near(float(lines[at + 4][1]), 0.03, 0.005, 'order')
    equal(dae('orders', 'chain.dae', '--quiet', status=0).out, '')


# ---- other models

LINEAR = """var x = 1, y = 0, z ~ 1
x' = -2*x + y
y' = -x*z + cos(t)
z = 1 + x^2
solve t in 0..2
"""


# No closed form: what Radau finds is the reference.
def test_orders_without_a_closed_form():
    write('m.dae', LINEAR)
    document = orders('m.dae', '--study', 'steps', '--steps',
                      '0.005,0.0025,0.00125')
    equal(document['reference'], 'tight run')
    equal(document['roles'], {'x': 'differential', 'y': 'differential',
                              'z': 'index 1'})
    for row in document['observed_order']:
        for name in 'xyz':
            near(row['local'][name], row['order'] + 1, 0.15, f'{name} local')
            near(row['settled'][name], row['order'], 0.15, f'{name} run')


# No degree of freedom, no closed form: the equations say the values at a time.
def test_solutions_that_the_equations_say():
    write_models('sin')
    with open('chain.dae', encoding='utf-8') as file:
        text = file.read()
    write('bare.dae', text[:text.index('expect')])
    exact, said = study('chain'), study('bare')
    equal(said['reference'], 'expression')
    for mine, other in zip(said['fixed_step'], exact['fixed_step']):
        for key in ('errors', 'errors_first', 'errors_max'):
            for name, depth in (('c1', 2), ('c2', 1)):
                # starting values are doubles; BDF6's factors add up to 27.7
                near(mine[key][name], other[key][name],
                     1.5 * 2 ** -53 * (28 / mine['step']) ** depth,
                     f'{key} {name}')


# An exact solution may not be called one by a line that is only near it.
def test_formulas_that_do_not_hold_are_no_reference():
    write('m.dae', "var x = 1\nx' = -x\nsolve t in 0..1\n"
          'expect x ~ 1 - t/2 within 1 always\n')
    document = orders('m.dae', '--study', 'steps', '--orders', '1,2',
                      '--steps', '0.1,0.05,0.025')
    equal(document['reference'], 'tight run')
    contains(document['summary'], 'The formulas of the expect lines are not')
    # (1 + h)^-n - exp(-1)
    near(document['fixed_step'][2]['errors']['x'], 1.025 ** -40 - math.exp(-1),
         1e-14, 'Euler')


# Some unknowns have a closed form: of these the errors are against it.
def test_closed_forms_of_some_unknowns():
    write('m.dae', "var x = 1, y = 1, z ~ 1\nx' = -x\ny' = -2*y\nz = x + y\n"
          'solve t in 0..1\nexpect x ~ exp(-t) within 1 always\n'
          'expect z ~ 1 within 5 always\n')
    words = ['m.dae', '--study', 'steps', '--orders', '1', '--steps', '0.1']
    document = orders(*words)
    equal(document['reference'], 'tight run')
    equal(document['closed_forms'], ['x'])
    equal('not the solution' in document['summary'], False, 'a bound')
    row = document['fixed_step'][0]['errors']
    near(row['x'], 1.1 ** -10 - math.exp(-1), 1e-15, 'x')
    near(row['y'], 1.2 ** -10 - math.exp(-2), 1e-15, 'y')
    near(row['z'], row['x'] + row['y'], 1e-15, 'z')
    contains(dae('orders', *words, status=0).out,
             'errors against closed forms of expect lines; of unknowns without '
             'one Radau')


def test_equations_of_second_order():
    write('m.dae', "var x = 1\ninit x' = 0\nx'' = -4*x\nsolve t in 0..2\n"
          'expect x ~ cos(2*t) within 1e-3 always\n'
          "expect x' ~ -2*sin(2*t) within 1e-3 always\n")
    document = orders('m.dae', '--study', 'steps', '--steps',
                      '0.04,0.02,0.01')
    equal(list(document['roles']), ['x', "x'"])
    equal(document['reference'], 'expect')
    for row in document['observed_order']:
        near(row['settled']["x'"], row['order'], 0.15, 'v')


# ---- tolerances

def test_tolerances():
    document = orders(model('tank2'), '--study', 'tolerances', '--orders',
                      '1..3', '--tolerances', '1e-3..1e-6')
    rows = document['adaptive']
    equal(len(rows), 2 * 3 * 4)
    equal({row['reduce'] for row in rows}, {'auto', 'never'})
    equal({row['method'] for row in rows}, {'bdf'})
    equal(document['fixed_step'], [])
    for row in rows:
        equal('seconds' in row, False)
        equal(row['steps'] > 0 and row['residual_evals'] >= row['steps'], True)
        equal(0 < row['error'] < 1, True)
    for way in ('auto', 'never'):
        for order in (1, 2, 3):
            mine = [r for r in rows if r['reduce'] == way
                    and r['max_order'] == order]
            equal([r['rtol'] for r in mine], [1e-3, 1e-4, 1e-5, 1e-6])
            equal(mine[0]['error'] > 5 * mine[-1]['error'], True)
            equal(mine[0]['steps'] < mine[-1]['steps'], True)
    # at the same tolerance the equations as they stand are worse
    by = {(r['reduce'], r['max_order'], r['rtol']): r['error'] for r in rows}
    equal(by['never', 3, 1e-6] > 10 * by['auto', 3, 1e-6], True)
    contains(document['summary'], 'takes the fewest residual evaluations')
    document = orders(model('tank1'), '--study', 'tolerances', '--orders', '5',
                      '--rtol', '1e-5')
    equal([(r['reduce'], r['rtol']) for r in document['adaptive']],
          [('auto', 1e-5)])
    timed = dae('orders', model('tank1'), '--study', 'tolerances', '--orders',
                '5', '--rtol', '1e-5', '--json', status=0).json
    equal(timed['adaptive'][0]['seconds'] > 0, True)


def test_equal_input_gives_equal_bytes():
    words = ['orders', model('chain'), '--to', '2', '--json', '--no-times']
    equal(dae(*words, status=0).out, dae(*words, status=0).out)


# ---- pictures

def test_pictures():
    out = dae('orders', model('chain'), '--to', '2', '--orders', '1..3',
              '--study', 'steps', '--steps', '0.1..0.001', '-o', 'a.svg',
              status=0).out
    contains(out, 'a.svg: 12 curves')
    p = Picture('a.svg')
    equal(len(p.panels), 4)
    for text in ['c1 (index 3): one step', 'c2 (index 2): the run',
                 'error of c1', 'step h', 'bdf3']:
        contains(p.texts, text)
    document = orders(model('chain'), '--to', '2', '--orders', '1..3',
                      '--study', 'steps', '--steps', '0.1..0.001')
    known = [row['errors_max']['c1'] for row in document['fixed_step']
             if row['order'] == 3]
    drawn = [y for _, y in p.panels[1].points(2)]
    equal(len(drawn), len(known))
    for a, b in zip(drawn, known):
        near(math.log10(a), math.log10(b), 0.02, 'c1 of bdf3')
    dae('orders', model('tank2'), '--study', 'tolerances', '--orders', '2,3',
        '-o', 'b.svg', '--quiet', status=0)
    p = Picture('b.svg')
    equal([len(panel.curves) for panel in p.panels], [2, 2])
    contains(p.texts, 'residual evaluations')
    contains(p.texts, 'as it stands')
    # one key for both
    equal((p.texts.count('bdf2'), p.texts.count('bdf3')), (1, 1))
    # a single curve has its name, too
    dae('orders', model('tank2'), '--study', 'tolerances', '--orders', '2',
        '-o', 'c.svg', '--quiet', status=0)
    with open('c.svg', encoding='utf-8') as file:
        equal(len(re.findall(r'>\s*bdf2\s*<', file.read())), 1)
    # an unknown that is a derivative: the unit of time is not known
    write('m.dae', "var q = 1 {m}\ninit q' = 0\nq'' = -q\nsolve t in 0..1\n")
    dae('orders', 'm.dae', '--study', 'steps', '--orders', '2', '-o', 'd.svg',
        '--quiet', status=0)
    contains(Picture('d.svg').texts, 'error of q (m)')
    contains(Picture('d.svg').texts, "error of q'")
    dae('orders', model('tank1'), '--study', 'steps', '--orders', '2', '-o',
        'e.svg', '--quiet', status=0)
    contains(Picture('e.svg').texts, 'error of c2 (mol/m³)')


def test_choice_of_unknowns():
    words = (PENDULUM, '--to', '0.1', '--study', 'steps', '--orders', '1,2',
             '--steps', '0.02,0.01', '-o', 'a.svg', '--plot')
    contains(dae('orders', *words, 'y,lam', status=0).out, 'a.svg: 8 curves')
    p = Picture('a.svg')
    equal([t for t in p.texts if t.endswith('the run')],
          ['y (differential): the run', 'lam (index 3): the run'])
    equal([panel.colours() for panel in p.panels], 4*[['#0072B2', '#D55E00']])
    equal((p.texts.count('bdf1'), p.texts.count('bdf2')), (1, 1))
    for name, what in (('energy', 'is no unknown'), ('q', 'the model has no unknown')):
        contains(dae('orders', *words, name, status=2).err, what)


def check_range(low, high, values, what):
    """From the least to the greatest value, and 4 % of that in decades of air."""
    least, most = math.log10(min(values)), math.log10(max(values))
    air = 0.04*(most - least)
    near(math.log10(low), least - air, 0.02 + 0.01*(most - least), what)
    near(math.log10(high), most + air, 0.02 + 0.01*(most - least), what)


def test_ranges_of_the_axes():
    """What the study has found is in the picture, and little else: steps and
    errors with the triangles below them; evaluations and errors."""
    words = (model('tank1'), '--orders', '1..4', '--to', '5')
    d = orders(*words)
    dae('orders', *words, '-o', 'a.svg', '--quiet', status=0)
    one, run, work = Picture('a.svg', is_log=True).panels
    for panel, kind in ((one, 'errors_first'), (run, 'errors_max')):
        left, right, bottom, top = panel.box
        check_range(left, right, [r['step'] for r in d['fixed_step']], kind)
        errors = [abs(r[kind]['c2']) for r in d['fixed_step']]
        equal(len(panel.slopes) > 0, True)
        feet = [y for triangle in panel.slopes for _, y in triangle]
        check_range(bottom, top, errors + feet, kind)
        # a foot is 0.35 of a point's error
        equal(min(feet) > 0.3*min(errors), True)
    left, right, bottom, top = work.box
    check_range(left, right, [r['residual_evals'] for r in d['adaptive']], 'work')
    check_range(bottom, top, [r['error'] for r in d['adaptive']], 'precision')


def rises_with(points, x, y, order):
    """Whether a curve is somewhat above (x, y) and rises by that order from there
    on, to twice as long steps."""
    points = sorted(points)
    for (a, b), (c, d) in zip(points, points[1:]):
        if abs(math.log(a/x)) < 0.05 and 1 < b/y < 4:
            return abs(math.log(d/b)/math.log(c/a) - order) <= 0.55
    return False


def test_triangles_have_the_slope_of_their_curve():
    """Euler's method on an oscillation: with long steps it grows without bound and
    its curve is steep there. A triangle of slope 1 has to stand at the short ones
    or nowhere."""
    write('m.dae', "var q = 1\ninit q' = 0\nq'' = -4*q\nsolve t in 0..10\n"
          'expect q ~ cos(2*t) within 1e-3 always\n')
    dae('orders', 'm.dae', '--study', 'steps', '--orders', '2', '--methods',
        'bdf,trapezoid,euler,verlet,rk4', '-o', 'a.svg', '--quiet', status=0)
    for panel, most in zip(Picture('a.svg').panels, (3, 3)):
        equal(len(panel.curves), 5)
        equal(2 <= len(panel.slopes) <= most, True, panel.slopes)
        for (x, y), (end, _), (_, top) in panel.slopes:
            near(end/x, 2, 0.05)
            order = round(math.log(top/y)/math.log(end/x))
            equal(any(rises_with(panel.points(k), x, y, order)
                      for k in range(5)), True, (x, y, order))


# ---- what is refused

def test_what_cannot_be():
    write('open.dae', "var x = 1\nx' = -x\n")
    contains(dae('orders', 'open.dae', status=2).err, 'no `solve` line')
    dae('orders', 'open.dae', '--to', '1', '--orders', '1', '--rtol', '1e-3',
        status=0)
    name = model('chain')
    for words, text in [
            (['--perturb', 'zz=1'], 'the model has no unknown `zz`'),
            (['--perturb', 'c3'], 'NAME=VALUE'),
            (['--perturb', 'c3=much'], 'wants a number'),
            (['--steps', '0'], 'above 0'),
            (['--steps', '0.1,-0.1'], 'above 0'),
            (['--steps', 'nan'], 'wants numbers'),
            (['--steps', '0x1p-3'], 'wants numbers'),
            (['--steps', ''], 'wants numbers'),
            (['--steps', '11'], 'longer than the interval'),
            (['--steps', '1e-9'], 'more than 1000000 steps'),
            (['--steps', '1', '--pattern', '1,1e-9'], 'more than 1000000'),
            (['--steps', '0.1..0.2'], 'the larger one comes first'),
            (['--steps', '1..1e-30'], 'at most'),
            (['--pattern', '1,0'], 'above 0'),
            (['--orders', '7'], 'not zero-stable'),
            (['--orders', '1..7'], 'not zero-stable'),
            (['--orders', '0'], 'whole numbers from 1 to 6'),
            (['--orders', '3..1'], 'the lower one comes first'),
            (['--orders', ','], 'a list such as'),
            (['--tolerances', '-1'], 'above 0'),
            (['--tolerances', '1e-3', '--rtol', '1e-3'], 'exclude'),
            (['--study', 'nothing'], 'steps, tolerances or both'),
            (['--study', 'steps', '--tolerances', '1e-3'], 'does not go'),
            (['--study', 'tolerances', '--steps', '0.1'], 'do not go'),
            (['--order', '2'], 'takes no --order'),
            (['--method', 'bdf'], 'takes no --method'),
            (['--methods', 'nonsense'], 'no method `nonsense`'),
            (['-o', 'a.csv'], 'ends in .svg, .png or .pdf')]:
        result = dae('orders', name, *words, status=2)
        contains(result.err, text)
        equal(result.out, '')
    contains(dae('orders', status=2).err, 'wants a model')
    write('wrong.dae', 'var x\n')
    dae('orders', 'wrong.dae', status=3)
    dae('orders', 'absent.dae', status=5)
    write('start.dae', "var x = 1, y = 3\nx' = -x\ny = 2*x\n"
          'solve t in 0..1\n')
    document = orders('start.dae', status=1)
    equal(document['status'], 'inconsistent')
    equal('fixed_step' in document, False)


BLOW_UP = """var x = 1
grow: x' = x^2
solve t in 0..0.9
expect x ~ 1/(1 - t) within 1 always
"""


# x = x0 + h*x^2 has no solution for h > 1/(4*x0): the code is told in the place
# of the error, with its message below, and stops nothing else.
def test_steps_that_fail():
    write('m.dae', BLOW_UP)
    words = ['m.dae', '--study', 'steps', '--orders', '1', '--steps',
             '0.3,0.001']
    rows = orders(*words)['fixed_step']
    equal([row.get('failure', {}).get('code') for row in rows],
          ['E0512', None])
    contains(rows[0]['failure']['message'], 'to t = 0.3 (h = 0.3, order 1)')
    equal(rows[0]['errors']['x'], None)
    equal(rows[1]['errors']['x'] > 0.1, True)
    result = dae('orders', *words, status=0)
    equal(result.err, '')
    contains(result.out, ' E0512\n')
    contains(' '.join(result.out.split()), "backward Euler with step 0.3 came "
             "to no end (E0512: Newton's method does not converge in the step "
             'to t = 0.3 (h = 0.3, order 1), worst in `grow`)')
    # by the step machine, which says it by its own code
    rows = orders(*words, '--methods', 'bdf,rk4')['fixed_step']
    equal([(row['method'], row.get('failure', {}).get('code'))
           for row in rows], [('bdf', 'E0501'), ('bdf', None), ('rk4', None),
                              ('rk4', None)])
    # nothing else is there
    for more, code in [([], 'E0512'), (['--methods', 'bdf'], 'E0501')]:
        result = dae('orders', *words[:-1], '0.3', *more, status=4)
        contains(result.err, f'error[{code}]')
        contains(result.err, 'm.dae:2:1')
        equal(result.out, '')
    # tolerances go on where all given steps fail
    result = dae('orders', 'm.dae', '--orders', '1', '--steps', '0.3',
                 '--tolerances', '1e-3', status=0)
    contains(result.out, 'E0512')
    contains(result.out, 'steps and orders chosen')


def test_runs_that_fail():
    write('m.dae', BLOW_UP)
    words = ['m.dae', '--study', 'tolerances', '--orders', '1',
             '--tolerances', '1e-2,1e-6', '--max-steps', '200', '--to', '0.5']
    done, row = orders(*words)['adaptive']
    equal('failure' in done, False)
    equal((row['error'], row['failure']['code']), (None, 'E0504'))
    result = dae('orders', *words, status=0)
    contains(result.out, 'E0504')
    contains(' '.join(result.out.split()),
             'bdf up to order 1 at rtol = 1e-06 fails (E0504: ')


# The failure is that of the command, its exit status that of the failure: 6 is a
# limit, 4 are the numbers: with errors of 0.1 x grows without bound before its
# end. What was requested and failed is in the document.
def test_runs_that_all_fail():
    write('m.dae', BLOW_UP)
    for more, code, status, word in [
            (['--rtol', '1e-6', '--max-steps', '10'], 'E0504', 6, 'limit'),
            (['--rtol', '0.1'], 'E0501', 4, 'failed')]:
        words = ['m.dae', '--study', 'tolerances', '--orders', '1', *more]
        document = orders(*words, status=status)
        equal(document['status'], word)
        row, = document['adaptive']
        equal((row['error'], row['failure']['code']), (None, code))
        equal([d['code'] for d in document['diagnostics']], [code])
        contains(dae('orders', *words, status=status).err, f'error[{code}]')
    # formulas at fixed steps go on
    dae('orders', 'm.dae', '--orders', '1', '--steps', '0.001', '--rtol',
        '1e-6', '--max-steps', '10', status=0)


def steps_of(study):
    return [row['step'] for row in study['fixed_step']]


# A step that does not divide the interval is shortened to one that does, which is
# told: 2/0.3 is filled by 7 steps, 2/0.17 by 12; patterns of 0.06 and 0.03 by 34 and
# 67. At the end of a pattern of h, 2h backward Euler's c1 is off by -1/4 gamma'',
# whatever h is.
def test_steps_that_do_not_divide():
    write_models('sin')
    words = ['--study', 'steps', '--steps']
    document = orders('tank1.dae', *words, '0.3,0.17', '--orders', '1,2')
    for h, known in zip(steps_of(document), [2 / 7, 2 / 12] * 2):
        near(h, known, 1e-14, 'step')
    equal([row['steps'] for row in document['fixed_step']], [7, 12, 6, 11])
    note, = document['diagnostics']
    equal(note['code'], 'N0517')
    contains(note['message'],
             '0.3 is 0.2857142857, 0.17 is 0.1666666667')
    for row in document['observed_order']:
        near(row['global']['c2'], row['order'], 0.15, f'bdf{row["order"]}')
    # the same by the step machine
    row, = orders('tank1.dae', *words, '0.3,0.17', '--methods',
                  'trapezoid')['observed_order']
    near(row['global']['c2'], 2, 0.15, 'trapezoid')
    # two that become one, and those that divide, to a rounding
    document = orders('tank1.dae', *words, '0.3,0.29', '--orders', '1')
    equal(len(document['fixed_step']), 1)
    document = orders('tank1.dae', *words, '0.1,0.05', '--orders', '1')
    equal((steps_of(document), 'diagnostics' in document),
          ([0.1, 0.05], False))
    document = orders('chain.dae', *words, '0.02,0.01', '--orders', '1',
                      '--pattern', '1,2')
    for h, known in zip(steps_of(document), [2 / 102, 2 / 201]):
        near(h, known, 1e-14, 'step of a pattern')
    for row in document['fixed_step']:
        near(row['errors']['c1'] / (-math.sin(2) / 2), -0.25, 0.02, 'c1')
    near(document['observed_order'][0]['global']['c1'], 0, 0.1, 'c1')


# What is requested twice is there once.
def test_lists_with_members_twice():
    document = orders(model('tank1'), '--to', '2', '--study', 'steps',
                      '--methods', 'bdf,ndf,bdf', '--orders', '2,1,2,1..2',
                      '--steps', '0.1,0.05,0.1,0.04999999999999')
    equal([(row['method'], row['order'], row['step'])
           for row in document['fixed_step']],
          [(m, k, h) for m in ('bdf', 'ndf') for k in (1, 2)
           for h in (0.1, 0.05)])
    document = orders(model('tank1'), '--to', '2', '--study', 'tolerances',
                      '--methods', 'bdf,bdf', '--orders', '2', '--tolerances',
                      '1e-3,1e-4,1e-3')
    equal([row['rtol'] for row in document['adaptive']], [1e-3, 1e-4])


def test_long_runs_end():
    write('m.dae', "var x = 1, v = 0\nx' = v\nv' = -x\nsolve t in 0..1e9\n")
    result = dae('orders', 'm.dae', '--time-limit', '1', '--quiet', status=6)
    contains(result.err, 'error[E0004]')


# ---- the lesson

# Words as they stand. Numbers but for the last digits shown; how many steps a
# run takes, and what they leave, differs a little between machines.
# Errors of radau come near to the rounding of doubles, which index 3 makes larger.
def check_listing(shown, found):
    equal(words_of(shown), words_of(found))
    least = 1e-13 if 'radau' in shown else 1e-20
    shown, found = (re.sub(r'~\S+', '', s) for s in (shown, found))
    for mine, other in zip(shown.splitlines(), found.splitlines()):
        is_run = mine.startswith('  bdf') or 'evaluations' in mine
        for a, b in zip(numbers_of(mine), numbers_of(other), strict=True):
            near(b, a, (0.1 if is_run else 5e-3) * abs(a) + least, mine)


def test_the_lesson():
    equal(play('orders.md', check_listing), 15)
    contains(page('orders.md'), 'A lesson in fifteen commands')
    # picture_pages_test.py looks at them
    equal(sorted(os.listdir('docs/pictures')),
          ['orders_chain.svg', 'orders_pendulum.svg', 'orders_work.svg'])


# The answers to its questions; prose_test.py has what its sentences say.
def test_the_questions_of_the_lesson():
    row = orders(model('tank2'), '--to', '2', '--study', 'steps', '--orders',
                 '6', '--steps', '0.1..0.0125')['observed_order'][0]
    near(row['local']['c1'], 6, 0.2, 'question 1: one step')
    near(row['largest']['c1'], 6, 0.1, 'question 1: the run')
    for name in ('tank1', 'tank2'):
        text = dae('orders', model(name), '--orders', '1', '--study', 'steps',
                   '--perturb', 'c1=1', status=0).out
        contains(' '.join(text.split()), 'c1 is not affected')
    text = sentence(PENDULUM, '--to', '1', '--steps', '0.1..0.001',
                    '--orders', '3')
    contains(text, 'lam is of index 3: with BDF3 its first-step error is of '
             'order 2; with equal steps it is of order 3 from step 4 on, with '
             'unequal ones of order 2.')
    runs = orders(model('tank1'), '--study', 'tolerances', '--orders',
                  '1,5')['adaptive']
    cost = {order: min(r['residual_evals'] for r in runs
                       if r['max_order'] == order and r['error']
                       and r['error'] < 2e-4) for order in (1, 5)}
    equal(cost[1] > 100 * cost[5], True, 'hundreds of times')


def test_help():
    out = dae('help', 'orders', status=0).out
    for word in ['--orders', '--steps', '--pattern', '--perturb', '--methods',
                 '--tolerances', '--study', '-o FILE']:
        contains(out, word)
    contains(dae('help', status=0).out, 'dae orders MODEL')


main(globals())
