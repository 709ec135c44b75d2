"""--step, --order, --start: steps of one length against schemes programmed apart
(tests/data/reference/fixed_steps.json), and what is said about them."""

import csv
import json
import math
import os

from support import ROOT, contains, dae, equal, main, near, write

with open(os.path.join(ROOT, 'tests/data/reference/fixed_steps.json'),
          encoding='utf-8') as file:
    REFERENCE = json.load(file)

OSCILLATOR = """var x = 1, v = 0
x' = v
v' = -4*x
output E = (v^2 + 4*x^2)/4
solve t in 0..10
expect x ~ cos(2*t) within 1e-3 always
expect v ~ -2*sin(2*t) within 1e-3 always
"""
PENDULUM = """var x {} 1, y = 0, u {} 0, v = 0, lam ~ 0
x' = u
y' = v
u' = -2*lam*x
v' = 9.81 - 2*lam*y
{}
solve t in 0..1
"""
FORMS = {
    'index3': ('~', '~', 'x^2 + y^2 = 1'),
    'index2': ('=', '~', 'x*u + y*v = 0'),
    'index1': ('=', '=', 'u^2 + v^2 + 9.81*y - 2*lam*(x^2 + y^2) = 0'),
}
# of the angle, by elliptic functions
AT_1 = {'x': -0.9862917511318753, 'y': 0.16501085312554117,
        'u': -0.2969055159163158, 'v': -1.7746436411126556,
        'lam': 2.428134703742338}


def run(text, *words, status=0):
    """The document; a step this coarse need not hold what a model expects."""
    write('m.dae', text)
    result = dae('run', 'm.dae', '--json', '--no-times', *words)
    if result.status not in (status, 1):
        raise AssertionError(f'{words}: exit {result.status}\n{result.err}')
    return result.json


def codes(document):
    return [d['code'] for d in document.get('diagnostics', [])
            if d['code'] != 'E0601']


def test_oscillator():
    case = REFERENCE['oscillator_energy_ratio_t10']
    for h in ('0.1', '0.01'):
        for k in range(1, 6):
            d = run(OSCILLATOR, '--step', h, '--order', str(k),
                    '--start', 'exact')
            known = case[f'h={h}']['BE' if k == 1 else f'BDF{k}']
            near(d['outputs']['E'], known, 1e-12 if h == '0.01' else 1e-13,
                 f'order {k}, h = {h}')
            equal(d['stats']['steps'], round(10/float(h)))
            equal(d['stats']['max_order'], k)


def test_long_steps_converge():
    """The tangent at the last point is a poor one of y + y^3 = 2 x after a step
    of 1: backward Euler has x = 1/2 there, and y + y^3 = 1."""
    d = run("var x = 1, y ~ 0\nx' = -x\ny + y^3 = 2*x\nsolve t in 0..1\n",
            '--step', '1', '--order', '1')
    near(d['values']['x'], 0.5, 1e-15)
    near(d['values']['y'], 0.6823278038280193, 1e-15)
    equal(d['stats']['newton_iterations'] < 10, True)


# Orders have three decimals; what rounding makes of an error it makes of them.
def check_orders(errors, noise, known, what):
    for off, rounding, order in zip(errors, noise, known, strict=True):
        a, b = off[-2:]
        near(math.log2(a/b), order, 6e-4 + 1.5*(rounding/a + rounding/b), what)


def test_pendulum():
    for name, known in REFERENCE['pend_bdf_fixed_step_t1']['runs'].items():
        form, k = name.split('_bdf')
        if form not in FORMS:  # with two multipliers: study_radau_test.c
            continue
        errors, least = [[], [], []], [0, 0, 0]
        for i, h in enumerate(known['h']):
            d = run(PENDULUM.format(*FORMS[form]), '--reduce', 'never',
                    '--step', str(h), '--order', k)
            off = {n: d['values'][n] - AT_1[n] for n in AT_1}
            what = f'{name}, h = {h}'
            # 9 digits, and what rounding makes of the index
            for found, error, index in [
                    (math.hypot(off['x'], off['y']), known['err_pos'][i], 1),
                    (math.hypot(off['u'], off['v']), known['err_vel'][i], 2),
                    (abs(off['lam']), known['err_lambda'][i], 3)]:
                depth = min(index, int(form[-1]))
                noise = 2e-14 + 100*2.2e-16*10/h**(depth - 1)
                near(found, error, 1e-8*error + noise, what)
                errors[index - 1].append(found)
                least[index - 1] = noise
            # an equation of index 3 keeps it, those below drift from it
            noise = 2e-14 + (0 if form == 'index3' else 100*2.2e-16*10/h)
            near(abs(d['values']['x']**2 + d['values']['y']**2 - 1),
                 known['pos_constraint'][i],
                 1e-8*known['pos_constraint'][i] + noise, what)
        check_orders(errors, least, known['orders_last'], name)


def test_network():
    case = REFERENCE['net_triangle2d_damped_fixed_step_t1']['backward_euler']
    with open(os.path.join(ROOT, 'models/mechanics/net2d_damped.dae'),
              encoding='utf-8') as model:
        text = model.read()
    for h, state in zip(case['h'], case['state']):
        d = run(text, '--to', '1', '--step', str(h), '--order', '1')
        for k in range(3):
            for c in range(2):
                name = f'X[{k + 1},{c + 1}]'
                near(d['values'][name], state[2*k + c], 1e-12, name)
                near(d['derivatives'][name + "'"], state[6 + 2*k + c], 1e-12,
                     name + "'")


# Rounding, in units of the smallest error, keeps orders from being seen below
# 1e-12: the steps are long enough.
def test_orders():
    """x' = -x^2 cos(t): x = 1/(1 + sin t), with y = x^2 algebraic."""
    text = ("var x = 1, y\nx' = -y*cos(t)\nsquare: y = x^2\n"
            'solve t in 0..2\n'
            'expect x ~ 1/(1 + sin(t)) within 1e-3 always\n'
            'expect y ~ 1/(1 + sin(t))^2 within 1e-3 always\n')
    exact = 1/(1 + math.sin(2))
    for method, most in (('bdf', 6), ('bdf-flc', 5), ('ndf', 5)):
        for k in range(1, most + 1):
            for start in ('exact', 'fine'):
                off = []
                for h in ('0.02', '0.01', '0.005'):
                    d = run(text, '--method', method, '--step', h, '--order',
                            str(k), '--start', start)
                    off.append(d['values']['x'] - exact)
                    near(d['values']['y'], d['values']['x']**2, 1e-15)
                for a, b in zip(off, off[1:]):
                    if abs(b) < 2e-13:
                        break
                    near(math.log2(abs(a/b)), k, 0.15,
                         f'{method}, order {k}, {start}')


def test_reduced():
    """The pendulum of index 3 in states chosen for it."""
    for method in ('bdf', 'bdf-flc', 'ndf'):
        for k in range(1, 5):
            off = []
            for h in ('0.01', '0.005', '0.0025'):
                d = run(PENDULUM.format(*FORMS['index3']), '--method', method,
                        '--step', h, '--order', str(k))
                off.append([abs(d['values'][n] - AT_1[n]) for n in ('u', 'v')])
                rod = d['values']['x']**2 + d['values']['y']**2
                near(rod, 1, 1e-14, 'rod')
            observed = math.log2(math.hypot(*off[1])/math.hypot(*off[2]))
            near(observed, k, 0.15, f'{method}, order {k}')


def test_starts():
    """Lower orders at the start leave an error of their own, of order 2."""
    off = {}
    for start in ('exact', 'fine', 'ramp'):
        d = run(OSCILLATOR, '--step', '0.01', '--order', '4', '--start', start)
        off[start] = d['values']['x'] - math.cos(20)
    near(off['fine'], off['exact'], 1e-11)
    equal(abs(off['ramp']) > 20*abs(off['exact']), True, off)
    equal(codes(d), [])


def test_last_step():
    text = "var x = 1\nx' = -x\nsolve t in 0..1\n"
    d = run(text, '--step', '0.3', '--order', '1')
    near(d['values']['x'], 1.3**-3/1.1, 1e-15)
    equal(codes(d), ['N0515'])
    equal(d['t'], 1)
    # 1/3 as it is written divides
    d = run(text, '--step', '0.3333333333', '--order', '1')
    near(d['values']['x'], 0.75**3, 1e-10)
    equal((codes(d), d['stats']['steps']), ([], 3))
    d = run(text, '--step', '5', '--order', '1')
    near(d['values']['x'], 0.5, 1e-15)
    equal((codes(d), d['stats']['steps']), (['N0515'], 1))
    d = run("var x = 1\nx' = -x\nsolve t in 1..0\n", '--step', '0.25',
            '--order', '1')
    near(d['values']['x'], 0.75**-4, 1e-14)


# a mass that goes round evenly, of index 3; its multiplier stays 1
CIRCLE = """var x ~ 1, y = 0, u ~ 0, v = 1, lam ~ 1
x' = u
y' = v
u' = -lam*x
v' = -lam*y
x^2 + y^2 = 1
solve t in 0..1
"""
ROUND = {'x': 'cos(t)', 'y': 'sin(t)', 'u': '-sin(t)', 'v': 'cos(t)'}


def lines(names):
    return ''.join(f'expect {n} ~ {ROUND[n]} within 1e-3 always\n'
                   for n in names)


def test_exact_start_of_a_reduced_system():
    """What is needed is the states; the multiplier follows from them."""
    for k in (1, 2, 3, 4, 5):
        off = []
        for h in ('0.05', '0.025', '0.0125'):
            words = ('--step', h, '--order', str(k))
            d = run(CIRCLE + lines('xyuv'), *words, '--start', 'exact')
            equal(codes(d), [])
            fine = run(CIRCLE, *words)['values']
            for name, value in d['values'].items():
                near(value, fine[name], 1e-10, f'{name}, order {k}, h = {h}')
            off.append(abs(d['values']['y'] - math.sin(1)))
        near(math.log2(off[1]/off[2]), k, 0.2, f'order {k}')
    # y and v are the states where the mass begins
    same = run(CIRCLE + lines('xyuv'), '--step', '0.05', '--start', 'exact')
    d = run(CIRCLE + lines('yv'), '--step', '0.05', '--start', 'exact')
    for name, value in d['values'].items():
        near(value, same['values'][name], 1e-13, name)
    write('m.dae', CIRCLE + lines('xu'))
    r = dae('run', 'm.dae', '--step', '0.05', '--start', 'exact', status=2)
    contains(r.err, 'E0514')
    contains(r.err, 'no closed form of `y`')
    # as it stands it needs all of them
    write('m.dae', CIRCLE + lines('xyuv'))
    r = dae('run', 'm.dae', '--step', '0.05', '--start', 'exact', '--reduce',
            'never', status=2)
    contains(r.err, 'no closed form of `lam`')
    # an acceleration in place of two unknowns, and the other ways
    second = ("var x ~ 1, y = 0, lam ~ 1\ninit y' = 1\nx'' = -lam*x\n"
              "y'' = -lam*y\nx^2 + y^2 = 1\nsolve t in 0..1\n"
              "expect y ~ sin(t) within 1e-3 always\n"
              "expect y' ~ cos(t) within 1e-3 always\n")
    d = run(second, '--step', '0.05', '--start', 'exact')
    for name in ('x', 'y', 'lam'):
        near(d['values'][name], same['values'][name], 1e-12, name)
    for way in ('project', 'stabilize'):
        d = run(CIRCLE + lines('xyuv'), '--step', '0.01', '--order', '4',
                '--start', 'exact', '--reduce', way)
        near(d['values']['v'], math.cos(1), 1e-6, way)


def test_exact_start_without_algebraic_unknowns():
    text = ("var x = 1, z\nx' = -z\nz^3 = x^3\nsolve t in 0..1\n"
            'expect x ~ exp(-t) within 1e-3 always\n')
    words = ('--step', '0.05', '--order', '4', '--start', 'exact')
    same = run(text + 'expect z ~ exp(-t) within 1e-3 always\n', *words)
    near(run(text, *words)['values']['x'], same['values']['x'], 1e-13)


def test_exact_start_of_another_solution():
    # a closed form takes the place of guesses, never of what is given
    line = 'expect x ~ {}*exp(-t) within 1e-3 always\n'
    words = ('--step', '0.01', '--order', '3', '--start', 'exact')
    for given, form, is_right in (('= 1', '1.0005', False), ('= 1', '1', True),
                                  ('~ 1', '1.0005', True)):
        write('m.dae', f"var x {given}\nx' = -x\nsolve t in 0..1\n"
              + line.format(form))
        r = dae('run', 'm.dae', *words, status=0 if is_right else 2)
        if not is_right:
            contains(r.err, 'E0514')
            contains(r.err, 'the closed form of `x` is 1.0005 there, and 1 is '
                            'given')
    # a small value is measured by itself
    write('m.dae', "var x = 1e-8\nx' = -x\nsolve t in 0..1\n"
          'expect x ~ 1.001e-8*exp(-t) within 1e-10 always\n')
    r = dae('run', 'm.dae', *words, status=2)
    contains(r.err, 'E0514')


def test_what_is_said():
    equal(codes(run(OSCILLATOR, '--step', '0.1', '--order', '6')), ['W0513'])
    write('m.dae', OSCILLATOR.replace('expect v', '# v'))
    r = dae('run', 'm.dae', '--step', '0.1', '--start', 'exact', status=2)
    contains(r.err, 'E0514')
    contains(r.err, 'no closed form of `v`')
    write('m.dae', OSCILLATOR.replace('1e-3', '1', 1))
    r = dae('run', 'm.dae', '--step', '0.1', '--start', 'exact', status=2)
    contains(r.err, 'no closed form of `x`')
    write('m.dae', OSCILLATOR)
    r = dae('run', 'm.dae', '--step', '0.1', '--method', 'bdf-flc', '--order',
            '6', status=2)
    contains(r.err, '`bdf-flc` has the orders 1 to 5')


def errors_between(text, forms, h, *words):
    """[(t, {name: error})] at 401 times, of closed forms of t."""
    write('m.dae', text)
    out = dae('run', 'm.dae', '-o', '-', '--points', '401', '--quiet',
              '--step', str(h), *words, status=0).out
    head, *rows = list(csv.reader(out.splitlines()))
    at = {n: head.index(n) for n in forms}
    return [(float(row[0]), {n: abs(float(row[at[n]]) - f(float(row[0])))
                             for n, f in forms.items()}) for row in rows]


def interpolation(degree, length):
    """The error of a polynomial that meets exp(t) at equal distances, over the
    largest derivative."""
    highest = max(abs(math.prod(s/100 - j for j in range(degree + 1)))
                  for s in range(100*degree + 1))
    return highest*(length/degree)**(degree + 1)/math.factorial(degree + 1)


def test_between_given_points():
    """The first points are given, and what is shown between them is no worse than
    a polynomial of the formula's order in each step."""
    swing = {'q': lambda t: math.cos(2*t), 'v': lambda t: -2*math.sin(2*t)}
    text = ("var q = 1, v = 0\nq' = v\nv' = -4*q\nsolve t in 0..1\n")
    known = ('expect q ~ cos(2*t) within 1e-3 always\n'
             'expect v ~ -2*sin(2*t) within 1e-3 always\n')
    for method, k in (('bdf', 2), ('bdf', 3), ('bdf', 5), ('bdf', 6),
                      ('bdf-flc', 4), ('ndf', 5)):
        for start in (('fine',) if k < 5 else ('fine', 'exact')):
            given = (k - 1 + (method == 'ndf'))*0.05
            for t, off in errors_between(
                    text + known*(start == 'exact'), swing, 0.05, '--method', method, '--order', str(k),
                    '--start', start):
                if t > given + 1e-9:
                    break
                for n, size in (('q', 1), ('v', 2)):
                    most = 1.01*interpolation(k, 0.05)*size*2**(k + 1) + 2e-12
                    near(off[n], 0, most, f'{method} {k} {start}: {n}({t})')
    # without derivatives, and of index 2 and 3
    text = ("var x = 1, p\nx' = -x\np = exp(-t)\nsolve t in 0..1\n"
            'expect x ~ exp(-t) within 1e-3 always\n'
            'expect p ~ exp(-t) within 1e-4 always\n')
    for words in (('--start', 'exact', '--reduce', 'never'), ()):
        for t, off in errors_between(text, {'p': lambda t: math.exp(-t)}, 0.05,
                                     '--order', '2', *words):
            # three points in the first step, later those of two steps
            most = interpolation(2, 0.05 if t < 0.05 else 0.1)
            near(off['p'], 0, 1.01*most, f'p({t})')
    text = ("var c3, c2, c1\nc3 = sin(t)\nc3' = c2\nc2' = c1\n"
            'solve t in 0..1\n')
    for t, off in errors_between(text, {'c2': math.cos}, 0.01, '--order', '3'):
        near(off['c2'], 0, 1.01*interpolation(3, 0.03), f'c2({t})')


def test_between_points_of_the_trapezoid():
    """What has no derivative is shown by three points in the first step, by four
    later; the fourth of the second one is the middle of the first."""
    for text, name, form in [
            ("var x = 1, p\nx' = -x\np = exp(-t)\nsolve t in 0..1\n", 'p',
             lambda t: math.exp(-t)),
            ("var c3, c2, c1\nc3 = sin(t)\nc3' = c2\nc2' = c1\n"
             'solve t in 0..1\n', 'c2', math.cos)]:
        # the last step of 0.07 is shorter
        for h in (0.1, 0.07):
            for t, off in errors_between(text, {name: form}, h,
                                         '--method', 'trapezoid'):
                most = interpolation(2, h) if t < h else interpolation(3, 3*h)
                near(off[name], 0, 1.01*most + 1e-12, f'{name}({t}), {h}')


def test_too_few_steps():
    """An order of k begins after k - 1 points, with ndf after k: where there are
    no more steps than those, no step is the formula's."""
    text = ("var x = 1\nx' = -x\nsolve t in 0..1\n"
            'expect x ~ exp(-t) within 1e-3 always\n')
    for step, order, words, is_told in [
            ('0.25', '5', (), True), ('0.25', '4', (), False),
            ('0.2', '5', (), False), ('0.3', '5', (), True),
            ('0.3', '4', (), False), ('100', '2', (), True),
            ('100', '1', (), False), ('0.25', '5', ('--start', 'ramp'), True),
            ('0.25', '5', ('--start', 'exact'), True),
            ('0.2', '5', ('--start', 'ramp'), False),
            ('0.25', '4', ('--method', 'ndf'), True),
            ('0.2', '4', ('--method', 'ndf'), False),
            ('0.25', '4', ('--method', 'ndf', '--start', 'ramp'), False),
            ('100', '1', ('--method', 'ndf'), True),
            ('100', '1', ('--method', 'bdf-flc'), False)]:
        d = run(text, '--step', step, '--order', order, *words)
        equal('W0518' in codes(d), is_told, (step, order, words))
    equal('W0518' in codes(run(text, '--step', '100', '--method', 'rk4')), False)
    write('m.dae', text)
    r = dae('run', 'm.dae', '--step', '0.25', '--order', '5', status=0)
    contains(r.err, 'no step of order 5 is made: the run has 4 steps, and the first of that order is step 5')
    contains(r.err, 'take steps up to 0.2, or a lower order')
    write('m.dae', text[:text.index('expect')])
    r = dae('run', 'm.dae', '--step', '100', '--order', '1', '--method', 'ndf',
            status=0)
    contains(r.err, 'the run has 1 step, and the first of that order is step 2')
    contains(r.err, '= help: take steps up to 0.5\n')
    r = dae('run', 'm.dae', '--step', '0.5', '--order', '3', '--start', 'ramp',
            status=0)
    contains(r.err, 'no step of order 3 is made: the run has 2 steps, and the first of that order is step 3')


def test_a_step_that_fails():
    """x' = x^2 by backward Euler has no solution where 4 h x > 1."""
    write('m.dae', "var x = 1\nx' = x^2\nsolve t in 0..2\n")
    r = dae('run', 'm.dae', '--step', '0.2', '--order', '1', status=4)
    contains(r.err, 'the step requested fails at t = ')
    contains(r.err, 'take shorter steps')


main(globals())
