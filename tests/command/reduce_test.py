"""--reduce: what each way says of itself in text and JSON, what is refused,
and that library models run to their references by each."""

import math
import os

from support import ROOT, contains, dae, equal, main, near, write

PENDULUM = """var x ~ 1, y = 0, u ~ 0, v = 7, lam ~ 0
x' = u
y' = v
u' = -lam*x
v' = -lam*y - 9.81
rod: x^2 + y^2 = 1
solve t in 0..1
"""
FOUR = "var a, b, c, d\na = sin(t)\nb = a'\nc = b'\nd = c'\nsolve t in 0..1\n"


def lines(text, *words):
    write('m.dae', text)
    return dae('run', 'm.dae', *words, status=0).out.splitlines()


def test_one_line_says_how():
    for way, line in [
            ('auto', 'index 3, reduced by dummy derivatives: states '),
            ('project', 'index 3, projected on 2 constraints after each step: '
             'states x, u, y, v'),
            ('stabilize', 'index 3, stabilized by 2 multipliers: '
             'states u, v, x, y'),
            ('never', 'index 3, integrated as it stands')]:
        found = [s for s in lines(PENDULUM, '--reduce', way)
                 if s.startswith('index ')]
        equal(len(found), 1, way)
        contains(found[0], line)
        equal([s for s in lines(PENDULUM, f'--reduce={way}', '--stats')
               if s.startswith('index ')], found)
    contains('\n'.join(lines(PENDULUM)), 'reduced by dummy derivatives')


def test_a_pendulum_swings_at_all_tolerances():
    """Half a minute from the horizontal, through x = 0 and y = 0 where states change: a step that
    leaps past there fails and goes on with others."""
    text = PENDULUM.replace('v = 7', 'v = 0').replace('0..1', '0..30')
    write('m.dae', text)
    for digits in range(14, 49):
        tolerance = f'{10 ** (-digits / 8):.3g}'
        for method in ('bdf', 'radau'):
            found = dae('run', 'm.dae', '--json', '--rtol', tolerance, '--atol', tolerance,
                        '--method', method, status=0).json['values']
            near(found['x'] ** 2 + found['y'] ** 2, 1, 10 * float(tolerance),
                 f'{method} {tolerance}')


def test_long_lists_are_cut():
    text = ('var x[12] = 1, y[12] ~ 1, z[12] ~ 0\n'
            "x[i]' = z[i] - x[i] for i in 1..12\ny[i]' = z[i] for i in 1..12\n"
            'x[i] + y[i] = 2 for i in 1..12\nsolve t in 0..1\n')
    found = [s for s in lines(text, '--reduce', 'project')
             if s.startswith('index ')]
    equal(len(found), 1)
    contains(found[0], ' and 16 more')


def test_json_has_all_states():
    write('m.dae', PENDULUM)
    for way, method, states in [
            ('project', 'projection', ['x', 'u', 'y', 'v']),
            ('stabilize', 'stabilization', ['u', 'v', 'x', 'y']),
            ('never', 'none', [])]:
        found = dae('run', 'm.dae', '--json', '--reduce', way,
                    status=0).json['reduction']
        equal(found['index'], 3)
        equal(found['method'], method)
        equal(found['states'], states)
        equal(found.get('constraints'), None if way == 'never' else 2)
    found = dae('run', 'm.dae', '--json', status=0).json['reduction']
    equal(found['method'], 'dummy derivatives')
    equal(len(found['states']), 2)


def test_an_index_below_two_says_nothing():
    write('m.dae', "var x = 1\nx' = -x\nsolve t in 0..1\n")
    for way in ['auto', 'project', 'stabilize', 'never']:
        result = dae('run', 'm.dae', '--reduce', way, status=0)
        equal('index' in result.out, False)
        equal('reduction' in dae('run', 'm.dae', '--json', '--reduce', way,
                                 status=0).json, False)


def test_never_says_what_to_expect_and_ends_at_index_3():
    write('m.dae', PENDULUM)
    contains(dae('run', 'm.dae', '--reduce', 'never', status=0).err,
             'note[N0510]: the equations are integrated as they stand')
    write('m.dae', FOUR)
    result = dae('run', 'm.dae', '--reduce', 'never', status=2)
    contains(result.err, '`reduce` cannot be `never`: the index is 4')
    for way in ['auto', 'project', 'stabilize']:
        dae('run', 'm.dae', '--reduce', way, status=0)


def test_an_index_that_ranks_do_not_confirm_is_left():
    # the ring modulator without parasitic capacitances: index 2 by repairs
    model = os.path.join(ROOT, 'models/circuits/ring_modulator_limit.dae')
    d = dae('run', model, '--json', '--no-times', '--to', '1e-6', '--quiet').json
    equal(d['reduction'], {'index': 2, 'method': 'none', 'states': []})
    equal([x['code'] for x in d['diagnostics'] if x['code'][0] == 'N'],
          ['N0510'])
    r = dae('show', '--equations', '--reduced', model)
    contains(r.out, 'index 2: the equations are integrated as they stand')
    for way in ('project', 'stabilize'):
        r = dae('run', model, '--to', '1e-6', '--reduce', way, status=2)
        contains(r.err, 'E0505')


def test_redundant_equations_move_no_state():
    # x = e^t and x = 1/(1 - t), beside a constraint, written twice, whose
    # entries grow apart: 2x by x, 1 by z
    twice = 'x^2 + y^2 = z\nz = y^2 + x^2\nsolve t in 0..40\n'
    for law in ["x' = x", "x' = x + 0*z"]:
        write('m.dae', f'var x = 1, y, z\n{law}\n{twice}')
        found = dae('run', 'm.dae', '--json', status=0).json['values']
        x, z = found['x'], found['z']
        near(x / math.exp(40), 1, 1e-3)
        near(z / math.exp(80), 1, 2e-3)
    write('m.dae', f"var x = 1, y, z\nx' = z\n{twice}")
    result = dae('run', 'm.dae', '--json', status=4)
    error = [d for d in result.json['diagnostics']
             if d['severity'] == 'error'][0]
    equal(error['code'], 'E0501')
    near(result.json['t'], 1, 1e-4)


def test_wrong_words():
    write('m.dae', PENDULUM)
    contains(dae('run', 'm.dae', '--reduce', 'sometimes', status=2).err,
             'auto, project, stabilize or never')
    contains(dae('check', 'm.dae', '--reduce', 'never', status=2).err,
             'takes no --reduce')


def test_a_large_model_is_looked_at_before_it_is_run():
    """2*a - b is u = w, so a says z = 0: index 2, which no place of an entry shows.
    w is exp(-t)."""
    text = ("param n = 1700\nvar u[n] = 1, w[n] ~ 1, z[n] ~ 0\n"
            "a: u[i]' - w[i]' = z[i] for i in 1..n\n"
            "b: 2*u[i]' - 2*w[i]' = 2*z[i] + w[i] - u[i] for i in 1..n\n"
            "c: w[i]' = -w[i] for i in 1..n\nsolve t in 0..1\n")
    last = lines(text, '--points', '2', '-o', '-')[-1].split(',')
    values = [float(v) for v in last]
    equal(len(values), 1 + 3*1700)
    for got in values[1:1 + 2*1700]:
        assert abs(got - math.exp(-1)) < 1e-4, got
    for got in values[1 + 2*1700:]:
        assert abs(got) < 1e-4, got


def test_models_of_the_library_reach_their_references():
    for name in ['process/tank2', 'process/chain', 'process/cstr_wanted',
                 'mechanics/pendulum', 'mechanics/andrews',
                 'mechanics/double_pendulum_cartesian']:
        path = os.path.join(ROOT, 'models', name + '.dae')
        for way in ['project', 'stabilize']:
            dae('run', path, '--reduce', way, status=0)


main(globals())
