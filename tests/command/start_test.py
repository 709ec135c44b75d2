"""The start of models whose index is above 1: `dae init` with its document, its
lines to paste and what it says where it finds nothing, `--homotopy`, and `dae
show --equations --reduced`. What is expected follows by hand, as the comments
say."""

import glob
import math
import os
import re

from support import ROOT, contains, dae, equal, main, near, write

# L = 1, m = 1, at rest at (0.6, 0.8): 2 lam = g*y from the rod twice
# differentiated, x*x'' + y*y'' = 0 with x'' = -2 lam x, y'' = g - 2 lam y
PENDULUM = '''"Pendulum"
param L = 1, g = 10
var x = 0.6, y ~ 0.9, u = 0, v ~ 0, lam ~ 1
moves: x' = u
falls: y' = v
across: u' = -2*lam*x
down: v' = g - 2*lam*y
rod: x^2 + y^2 = L^2
solve t in 0..1
'''

# the same with nothing given: two conditions are missing
FREE = PENDULUM.replace('x = 0.6', 'x ~ 0.6').replace('u = 0', 'u ~ 0')

# one equation without a real solution beside one that has
NOWHERE = '''var x ~ 1, y = 1
y' = -y
flat: x^4 + x^2 + 1 = 0
solve t in 0..1
'''

# x^3 - 2x + 2 has a valley at x = 0.8 without a root, and its only root at
# -1.7693, beyond a hill
VALLEY = '''var x ~ 0, y ~ 0, z = 1
z' = -z
x^3 - 2*x + 2 = 0.001*y*x
y + 0.1*y^3 = 0.001*x
solve t in 0..1
'''

# A slider at its dead point, the wheel without inertia: sin(phi + psi) = 0 leaves
# l1 and l2 open there. Beside psi = 0, where both are 0 a little aside and the
# slider would have to stay, psi = pi - phi solves it with any w: x = 0 for ever
DEAD_POINT = '''param J = 0, m = 1
var phi = 0, w = 1, x ~ 2, psi ~ 0, l1, l2
phi' = w
wheel: J*w' = -l1*sin(phi) + l2*cos(phi)
x = cos(phi) + cos(psi)
0 = sin(phi) - sin(psi)
m*x'' = -l1
0 = -l1*sin(psi) - l2*cos(psi)
solve t in 0..1
'''


def init(text, *words, status=0):
    write('m.dae', text)
    return dae('init', 'm.dae', *words, status=status)


# ---- the values ----------------------------------------------------------------

def test_values_of_all_orders_that_occur():
    d = init(PENDULUM, '--json', '--no-times').json
    equal(list(d), ['model', 'status', 't', 'values', 'derivatives',
                    'outputs', 'guesses', 'residuals', 'missing', 'residual'])
    equal(d['status'], 'done')
    for name, value in [('x', 0.6), ('y', 0.8), ('u', 0), ('v', 0),
                        ('lam', 4)]:
        near(d['values'][name], value, 1e-13, name)
    equal(d['values']['x'], 0.6)
    # x'' = -4.8 and y'' = 3.6 are in the rod twice differentiated
    for name, value in [("x'", 0), ("x''", -4.8), ("y'", 0), ("y''", 3.6),
                        ("u'", -4.8), ("v'", 3.6)]:
        near(d['derivatives'][name], value, 1e-12, name)
    equal(sorted(d['derivatives']), ["u'", "v'", "x'", "x''", "y'", "y''"])
    equal(d['guesses'], {'y': 0.9, 'v': 0, 'lam': 1})
    equal(d['missing'], 0)


def test_given_values_are_told_as_given():
    """0.6^2 + 0.80000001^2 is 1 to the tolerances only: of what is given nothing
    moves, in no digit."""
    given = {'x': 0.6, 'y': 0.80000001, 'u': 1e-9, 'v': 0}
    text = PENDULUM.replace('y ~ 0.9', 'y = 0.80000001')
    text = text.replace('u = 0, v ~ 0', 'u = 1e-9, v = 0')
    d = init(text, '--json').json
    rows = dae('run', 'm.dae', '--points', '2', '-o', '-', '--quiet',
               status=0).out.splitlines()
    first = dict(zip(rows[0].split(','), map(float, rows[1].split(','))))
    for name, value in given.items():
        equal(d['values'][name], value)
        equal(first[name], value)


def test_a_run_starts_where_the_check_found_a_value():
    """sqrt has no value at the guesses 0 and 1; h = 9 follows, and q = 2."""
    path = os.path.join(ROOT, 'tests/check/no_value/two_steps_away.dae')
    values = dae('init', path, '--json', status=0).json['values']
    near(values['h'], 9, 1e-12)
    near(values['q'], 2, 1e-12)


def test_no_start_with_values_that_rounding_makes():
    """The rod turns through its end: y = 0, and T no reciprocal of its rounding."""
    path = os.path.join(
        ROOT, 'tests/check/singular/rod_that_turns_through_its_end.dae')
    values = dae('init', path, '--json', status=0).json['values']
    near(values['y'], 0, 1e-12)
    assert abs(values['T']) < 1e3, values


def test_the_rounding_of_a_sine_is_no_value_however_fine_the_grid():
    """sin(pi) + 0.3 sin(3 pi) at the end of a rod whose end is held at 0."""
    write('rod.dae', """param n = 20, a = 0.01, h = 1/n
var T[j in 0..n] = sin(pi*j/n) + 0.3*sin(3*pi*j/n)
T[0]' = 0
T[j]' = a*(T[j-1] - 2*T[j] + T[j+1])/h^2 for j in 1..n-1
T[n] = 0
solve t in 0..5
""")
    for n in (20, 300, 400, 2000):
        dae('check', 'rod.dae', '--set', f'n={n}', status=0)
    # but a value that an equation lives by is one, however small beside others
    write('small.dae', """var a = 1, b = 2e-16
a' = -a
a*b = 1e-15*a
solve t in 0..1
""")
    contains(dae('check', 'small.dae', status=1).err, 'E0401')


def test_a_bound_that_takes_a_branch_is_named():
    """With z = 3 of z^2 = 9 (z > 0), y^2 + z = 0 has no root."""
    write('m.dae', 'var y ~ 1, z ~ 2 {min = 0}\nbranch: z^2 = 9\n'
          'root: y^2 + z = 0\n')
    contains(dae('check', 'm.dae', status=4).err,
             '`branch` and `root` together where `z` is at least 0')


def test_residuals_of_equations_and_hidden_constraints():
    d = init(PENDULUM, '--json', '--no-times').json
    equal(sorted(d['residuals']),
          sorted(['moves', "moves'", 'falls', "falls'", 'across', 'down',
                  'rod', "rod'", "rod''"]))
    for name, value in d['residuals'].items():
        near(value, 0, 1e-13, name)


def test_residuals_of_conditions():
    d = init("var x ~ 1, y ~ 1\nx' = -y\ny' = x\n"
             "init x + y = 3\ninit x - y = 1\nsolve t in 0..1\n",
             '--json', '--no-times').json
    equal(d['values'], {'x': 2, 'y': 1})
    equal(len(d['residuals']), 4)
    equal(set(d['residuals'].values()), {0})


def test_the_table_has_guesses_beside_values():
    out = init(PENDULUM).out
    assert re.search(r"^  x +0\.6 +condition$", out, re.M), out
    assert re.search(r"^  y +0\.8 +guess 0\.9$", out, re.M), out
    assert re.search(r"^  x'' +-4\.8$", out, re.M), out
    contains(out, '\nresiduals\n')
    assert re.search(r"^  rod'' +\S+$", out, re.M), out


def test_of_many_equations_the_largest_residuals():
    text = ('var x[100] ~ 1\n'
            "x[i]' = -x[i]^3 for i in 1..100\nsolve t in 0..1\n")
    out = init(text).out
    contains(out, '\nlargest residuals\n')
    equal(len(out.split('largest residuals')[1].split('\n')), 8)


# ---- lines to paste --------------------------------------------------------------

def pasted(path):
    """The model with what `--as-dae` prints behind it."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    lines = dae('init', path, '--as-dae', status=0).out
    return write('again.dae', text + '\n' + lines)


def same_start(first, second, name):
    for kind in ['values', 'derivatives']:
        for key, value in first[kind].items():
            size = max(abs(value), 1)
            near(second[kind][key], value, 1e-12 * size, f'{name}: {key}')


def test_pasted_lines_make_the_next_run_start_there():
    for text in [PENDULUM, FREE, FREE.replace('y ~ 0.9', 'y = 0.8')]:
        first = init(text, '--json', '--no-times').json
        pasted('m.dae')
        contains(dae('check', 'again.dae', status=0).out, 'again: consistent')
        second = dae('init', 'again.dae', '--json', '--no-times',
                     status=0).json
        same_start(first, second, text)
        out = dae('run', 'again.dae', '--to', '1e-9', '-o', '-',
                  '--all-steps', status=0).out.split('\n')
        row = dict(zip(out[0].split(','), map(float, out[1].split(','))))
        for key, value in first['values'].items():
            near(row[key], value, 1e-12, key)


def test_what_is_missing_is_given():
    lines = init(FREE, '--as-dae').out.split('\n')
    given = [line for line in lines if ' = ' in line and line[0] != '#']
    equal(len(given), 2, lines)
    lines = init(PENDULUM, '--as-dae').out.split('\n')
    equal([line for line in lines if re.match(r'init \S+ = ', line)], [])
    contains('\n'.join(lines), '# x = 0.6 is a condition')


def test_models_start_where_they_started():
    names = ['mechanics/pendulum', 'mechanics/pendulum_second_order',
             'mechanics/double_pendulum_cartesian', 'mechanics/car_axis',
             'mechanics/andrews', 'mechanics/rigid_body_quaternion',
             'process/tank2', 'process/chain', 'process/cstr_wanted',
             'circuits/capacitors_in_parallel', 'chemistry/robertson']
    for name in names:
        path = os.path.join(ROOT, 'models', name + '.dae')
        first = dae('init', path, '--json', '--no-times', status=0).json
        pasted(path)
        second = dae('init', 'again.dae', '--json', '--no-times',
                     status=0).json
        same_start(first, second, name)


# ---- where nothing is found --------------------------------------------------------

def test_a_failure_names_what_is_left():
    result = init(NOWHERE, '--json', '--no-times', status=4)
    d = result.json
    equal(d['status'], 'failed')
    equal('values' in d, False)
    err = init(NOWHERE, status=4).err
    contains(err, 'E0402')
    contains(err, '`flat`')


def test_at_the_edge_of_a_domain_an_infinite_slope_satisfies_no_equation():
    """asin(h) is pi/2 at most, so that 0.429 is left of 2."""
    said = dae('check', '-', stdin='var h ~ 0.5\nasin(h) = 2\n', status=4).err
    assert 'residual -0.429204' in said and 'satisfied' not in said, said


def test_a_bound_in_the_way_is_named():
    # the root of the cubic is at -1.26, below what x may be
    err = init("var x ~ 1 {min = 0}, y ~ 1, z = 1\nz' = -z\n"
               'one: x^3 + 2 = 0.001*y\ntwo: y = 2 + 0.001*x\n'
               'solve t in 0..1\n', status=4).err
    contains(err, 'E0402')
    contains(err, '`x` is at least 0')
    contains(err, 'without this bound values satisfy all others')


def test_a_singular_start_is_called_so():
    # y^2 = 1 - x touches at x = 1, y = 0
    out = init("var x = 1, y ~ 0.5\nx' = -y\ny^2 = 1 - x\n"
               'solve t in 0..1\n', status=0).out
    contains(out, 'consistent values at a singular start at t = 0')
    equal('consistent start' in out, False)


# ---- homotopy ------------------------------------------------------------------------

def test_homotopy_is_the_second_try():
    # at u = 10 tanh has no slope left
    text = ('var x = 0.3, u ~ 10\nx\' = -x\n'
            'saturation: tanh(2*u) = x\nsolve t in 0..1\n')
    for command in ['init', 'run', 'check']:
        write('m.dae', text)
        result = dae(command, 'm.dae', '--json', '--no-times', status=0)
        d = result.json
        notes = [n for n in d['diagnostics'] if n['code'] == 'N0410']
        equal(len(notes), 1, command)
        contains(notes[0]['message'], '`u` = 0.15476')
        if command != 'run':
            values = d['initial']['values'] if command == 'check' \
                else d['values']
            near(values['u'], math.atanh(0.3)/2, 1e-9, command)


def test_a_valley_is_left_without_homotopy():
    for command in ['init', 'check']:
        write('m.dae', VALLEY)
        d = dae(command, 'm.dae', '--json', '--no-times', status=0).json
        values = d['initial']['values'] if command == 'check' \
            else d['values']
        # 0.001*y*x moves the root of x^3 - 2x + 2 by 4e-7
        near(values['x'], -1.769292354, 1e-6, command)


def test_homotopy_can_come_first():
    # both roots of x^2 = 4 + y; from 1 the curve goes up to 2
    text = ("var x ~ 1, y ~ 0, z = 1\nz' = -z\nx^2 = 4 + y\n"
            'y + y^3 = 0\nsolve t in 0..1\n')
    plain = init(text, '--json', '--no-times').json
    equal('diagnostics' in plain, False)
    first = init(text, '--json', '--no-times', '--homotopy').json
    near(first['values']['x'], 2, 1e-12)
    near(plain['values']['x'], 2, 1e-12)
    equal([n['code'] for n in first['diagnostics']], ['N0410'])


def test_homotopy_says_nothing_of_guesses_that_fit():
    d = init(PENDULUM.replace('0.9', '0.8').replace('lam ~ 1', 'lam ~ 4'),
             '--json', '--no-times', '--homotopy').json
    near(d['values']['lam'], 4, 1e-12)
    codes = [n['code'] for n in d.get('diagnostics', [])]
    # the derivatives, whose guesses are 0, still have to be found
    assert codes in ([], ['N0410']), codes


def test_homotopy_finds_no_root_that_is_not_there():
    err = init(NOWHERE, '--homotopy', status=4).err
    contains(err, 'E0402')
    equal('N0410' in err, False)


def test_homotopy_keeps_starts_of_higher_index():
    for name in ['mechanics/pendulum', 'mechanics/car_axis',
                 'process/cstr_wanted']:
        path = os.path.join(ROOT, 'models', name + '.dae')
        plain = dae('init', path, '--json', '--no-times', status=0).json
        other = dae('init', path, '--json', '--no-times', '--homotopy',
                    status=0).json
        for key, value in plain['values'].items():
            near(other['values'][key], value, 1e-6 * max(abs(value), 1),
                 f'{name}: {key}')


# ---- the reduced system -----------------------------------------------------------------

# x = 0.6 is the smaller coordinate, so it stays the state
REDUCED = '''Pendulum
reduced system at t = 0: 2 states, 2 dummy derivatives

states
  x        0.6
  x' = u   0

dummy derivatives
  y' = v     0               determined by rod'
  y'' = v'   3.6             determined by across, down and rod\'\'

equations, in the order in which they are solved
  rod      x^2 + y^2 = L^2
           for y

  rod'     2*x*u + 2*y*v = 0
           for y' = v

  across   u' = -2*lam*x
  down     v' = g - 2*lam*y
  rod''    2*x*u' + 2*u^2 + 2*y*v' + 2*v^2 = 0
           for x'' = u', y'' = v' and lam

taken out: two that are one
  moves        x' = u
  moves'       x'' = u'
  falls        y' = v
  falls'       y'' = v'
'''


def plain(text):
    return [' '.join(line.split()) for line in text.strip().split('\n')]


def test_the_reduced_system_of_a_pendulum():
    write('m.dae', PENDULUM)
    out = dae('show', 'm.dae', '--equations', '--reduced', status=0).out
    equal(plain(out), plain(REDUCED))
    equal(dae('show', 'm.dae', '--reduced', status=0).out, out)


def test_other_ways_show_what_they_integrate():
    write('m.dae', PENDULUM)
    shown = ('show', 'm.dae', '--reduced', '--reduce')
    out = dae(*shown, 'project', status=0).out
    solved, projected = out.split('\nprojected on after each step\n')
    equal(plain(projected), ['rod x^2 + y^2 = L^2', "rod' 2*x*u + 2*y*v = 0"])
    contains(solved, 'reduced system at t = 0: 4 states, 0 dummy derivatives')
    contains(solved, "rod''")
    out = dae(*shown, 'stabilize', status=0).out
    contains(out, '\nmultipliers\n  2, by which constraints hold')
    contains(out, 'reduced system at t = 0: 4 states, 0 dummy derivatives')
    contains(dae(*shown, 'never', status=0).out,
             'index 3: the equations are integrated as they stand')
    contains(dae('show', 'm.dae', '--reduce', 'project', status=2).err,
             '--reduce goes with --reduced')


def test_a_preferred_state_is_shown():
    write('m.dae', PENDULUM.replace('y ~ 0.9', 'y ~ 0.9 {state = 1}'))
    out = dae('show', 'm.dae', '--reduced', status=0).out
    states = out.split('\ndummy derivatives\n')[0]
    assert re.search(r"^  y +0\.8$", states, re.M), out
    contains(out, "determined by rod'\n")


def test_long_names_leave_the_columns_where_they_are():
    # x = 0.6 and x' = 0 are states; y' and y'' follow, with lam
    name = 'horizontal_position_of_the_first_bead_on_the_wire'
    rod = 'the_rod_that_holds_it_all_together'
    text = ("var X = 0.6, y ~ 0.8, lam\nX'' = -lam*X\n"
            "y'' = -lam*y - 9.81\nROD: X^2 + y^2 = 1\ninit X' = 0\n")
    write('m.dae', text.replace('X', name).replace('ROD', rod))
    lines = dae('show', '--equations', '--reduced', 'm.dae',
                status=0).out.splitlines()
    equal([line for line in lines if line.startswith('  ' + name)],
          [f"  {name}    0.6", f"  {name}'   0"])
    at = lines.index(f"  {rod}'")
    equal(lines[at + 1], ' '*29 + f"2*{name}*{name}'")


def test_nothing_to_reduce():
    write('m.dae', "var x = 1\nx' = -x\n")
    out = dae('show', 'm.dae', '--equations', '--reduced', status=0).out
    contains(out, 'the index is not above 1')
    contains(out, "x' + x = 0")


def test_a_start_that_is_not_found_is_no_reduced_system():
    write('m.dae', PENDULUM.replace('y ~ 0.9', 'y = 0.9'))
    result = dae('show', 'm.dae', '--reduced', status=1)
    contains(result.err, 'E0401')


def test_reduced_systems_of_models():
    """Whatever the model: as many equations as things solved for."""
    for path in sorted(glob.glob(os.path.join(ROOT, 'models/mechanics/*.dae'))):
        if os.path.getsize(path) > 4000 or 'bead' in path:
            continue
        result = dae('show', path, '--reduced')
        assert result.status in (0, 1, 3, 4, 6), (path, result.err)
        if result.status == 0 and 'reduced system' in result.out:
            contains(result.out, 'in the order in which they are solved')


def test_a_given_value_is_not_exchanged_for_that_of_the_states():
    write('m.dae', DEAD_POINT)
    result = dae('init', 'm.dae', '--json', '--no-times')
    assert result.status in (0, 4), result.status
    if result.status == 0:
        v, d = result.json['values'], result.json['derivatives']
        equal((v['phi'], v['w']), (0, 1))
        near(d["phi'"], 1, 1e-12)
        near(v['x'], 1 + math.cos(v['psi']), 1e-9)
        near(math.sin(v['psi']), 0, 1e-9)
        near(math.cos(v['psi'])*d["psi'"], 1, 1e-9)
    told = init(DEAD_POINT.replace('w = 1', 'w = 0'), '--json', '--no-times')
    near(told.json['values']['w'], 0, 1e-12)


# The absolute tolerance of H is 1e-9: its logarithm says all of its digits.
def test_a_value_far_below_its_tolerance_has_its_digits():
    values = init("var s = 18, H, OH, lg\ns' = 0\n-log10(H) = s\n"
                  'H*OH = 1e-14\nlg = log10(OH)\n', '--json').json['values']
    near(values['H'], 1e-18, 1e-26)
    near(values['OH'], 1e4, 1e-4)
    near(values['lg'], 4, 1e-8)
    near(init("var x = -20, h\nx' = h\nlog10(h) = x\n",
              '--json').json['values']['h'], 1e-20, 1e-28)


# Down an exponential Newton's steps are of the length of 0.03, which is less than a
# tolerance here, until they are at its foot: v = 4 + 0.03*log(1 + 1000*(7 - v)).
def test_steps_within_a_tolerance_are_no_end():
    text = ('var v ~ 5\n1e-6*expm1((v - 4)/0.03) = (7 - v)/1000\n'
            'solve t in 0..1, rtol = 1e-2\n')
    near(init(text, '--json').json['values']['v'], 4.237725, 1e-4)
    write('m.dae', text)
    near(dae('run', 'm.dae', '--json', status=0).json['values']['v'],
         4.237725, 1e-4)
    amplifier = os.path.join(ROOT, 'models/circuits/transistor_amplifier.dae')
    found = dae('init', amplifier, '--rtol', '1e-2', '--json').json
    for i, guess in enumerate((0, 3, 3, 6, 3, 3, 6, 0), 1):
        near(found['values'][f'u[{i}]'], guess, 1e-6, f'u[{i}]')
    near(found['derivatives']["u[3]'"], -3/9000/2e-6, 1e-3)


def test_a_ladder_too_large_for_dense_matrices():
    """Currents are 0 but those of the emitters: b = 3, e' = -3/(R C), and b[1]' is the
    slope of the source, whatever the number of stages."""
    path = os.path.join(ROOT, 'tests', 'check', 'systems', 'transistor_ladder.dae')
    for n in 200, 3000:
        values = dae('init', path, '--set', f'n={n}', '--json', status=0).json
        at = {**values['values'], **values['derivatives']}
        for name, exact in (('b[2]', 3), (f'b[{n}]', 3), ("e[5]'", -500/3),
                            ("b[1]'", 20*math.pi)):
            near(at[name], exact, 1e-6*abs(exact), f'{name} of {n}')


def test_what_each_equation_gives_in_turn_needs_few_factors():
    """6000 slopes and 6000 values, one after the other, with and without conditions that
    say again what follows: before the first step two factorizations tell the index."""
    text = ("param n = 6000\nvar x[n] = 1, y[n] %s 2\nx[1]' = -x[1]\n"
            "x[i]' = x[i-1] - x[i] for i in 2..n\ny[i] = 2*x[i] for i in 1..n\n"
            'solve t in 0..1e-6\n')
    for sign in '=~':
        write('m.dae', text % sign)
        found = dae('run', 'm.dae', '--json', status=0).json
        equal(found['stats']['factorizations'] < 8, True, sign)


main(globals())
