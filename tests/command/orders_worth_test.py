"""dae orders: what errors are worth. Closed forms and runs that errors are
measured against are themselves measured, errors that are not believed are
marked and show no order, failed runs leave none, and the sentences say why."""

import math
import os
import re

from support import ROOT, contains, dae, equal, main, near, write

PENDULUM = """param m = 2, l = 0.5, g = 9.81
var x = 0.3, y ~ -0.4, u = 0, v ~ 0, T ~ 10
x' = u
y' = v
m*u' = -T*x
m*v' = -T*y - m*g
x^2 + y^2 = l^2
solve t in 0..1
"""
KEPLER = """var x = 0.4, y = 0, u = 0, v = 2
x' = u
y' = v
u' = -x/(x^2 + y^2)^1.5
v' = -y/(x^2 + y^2)^1.5
solve t in 0..6.283185307179586
"""


def study(*words):
    return dae('orders', *words, '--study', 'steps', '--json', '--no-times',
               status=0).json


def text(*words):
    return dae('orders', *words, '--study', 'steps', status=0).out


def said(*words):
    return ' '.join(study(*words)['summary'].split())


# ---- the reference

# Errors of u in one step from a computation in 30 digits: all are right, so the
# order is that of the last two. Of theory it is 5.
def test_the_last_pair_of_steps_that_is_right():
    write('m.dae', PENDULUM)
    known = [4.865e-4, 3.287e-6, -1.115e-7, -6.188e-9, -2.270e-10]
    words = ['m.dae', '--orders', '5', '--steps',
             '0.05,0.025,0.0125,0.00625,0.003125']
    document = study(*words)
    for row, error in zip(document['fixed_step'], known):
        near(row['errors_first']['u'], error, 1e-3 * abs(error), 'u')
        equal('u' in row.get('doubted', {}).get('errors_first', []), False)
    near(document['observed_order'][0]['local']['u'], 4.77, 0.01, 'order')
    # two pairs do not agree (4.17 before), so no sentence tells an order
    contains(said(*words), 'No order that two pairs of steps agree on: with '
             'BDF5 of u and v: these steps are too long.')
    document = study(os.path.join(ROOT, 'models/mechanics/pendulum.dae'),
                     '--to', '1', '--steps', '0.1..0.001', '--orders', '3')
    order, = document['observed_order']
    near(order['local']['lam'], 2, 0.02, 'one step of lam')
    near(order['global']['lam'], 3, 0.05, 'lam at the end')


# Steps so short that the reference is no better: those rows are marked, and the
# order is that of the rows before.
def test_errors_that_are_not_believed():
    write('m.dae', PENDULUM)
    words = ['m.dae', '--orders', '5', '--steps',
             '0.00625,0.003125,0.00078125,0.000390625']
    document = study(*words)
    rows = document['fixed_step']
    contains(rows[3]['doubted']['errors_first'], 'u')
    equal('u' in rows[1].get('doubted', {}).get('errors_first', []), False)
    near(document['observed_order'][0]['local']['u'], 4.77, 0.01, 'order')
    contains(said(*words), 'errors at shorter steps are less than 10 times '
             'what the reference is wrong by')
    out = text(*words)
    contains(out, ' ?')
    contains(out, '? less than 10 times what the reference is wrong by')


# Whatever its size and whatever its line allows, a formula that is another
# solution is none: off by 5 %, by 1e-4, by a constant, by rounding of a number to
# seven digits, by 1e-7 of what the run can tell.
def test_closed_forms_are_compared_sharply():
    for line, value, formula in [
            ("x' = -x", '1e-9', '1e-9*exp(-1.05*t)'),
            ("x' = -x", '1e-6', '1.0001e-6*exp(-t)'),
            ("x' = -x", '1', 'exp(-t) + 2e-7*t'),
            ("x' = cos(t)", '0', 'sin(t) + 1e-7'),
            ("x' = -x/3", '1', 'exp(-0.33333333*t)'),
            ("x' = -x", '1', 'exp(-t) + 1e-9*t')]:
        write('m.dae', f'var x = {value}\n{line}\nsolve t in 0..2\n'
              f'expect x ~ {formula} within 0.1 always\n')
        document = study('m.dae', '--orders', '2,4')
        equal(document['reference'], 'tight run', formula)
        contains(document['reference_text'], 'Radau IIA of order 9')
        contains(document['summary'], 'are not the solution that runs find, so '
                 'errors are against Radau IIA of order 9')
    for line, value, formula in [
            ("x' = -x", '1e-9', '1e-9*exp(-t)'),
            ("x' = -x", '1', 'exp(-t)'),
            ("x' = cos(t)", '0', 'sin(t)'),
            ("x' = 1000*(cos(t) - x) - sin(t)", '1', 'cos(t)'),
            ("x' = x", '1', 'exp(t)')]:
        write('m.dae', f'var x = {value}\n{line}\nsolve t in 0..2\n'
              f'expect x ~ {formula} within 0.1 always\n')
        equal(study('m.dae', '--orders', '2,4')['reference'], 'expect', formula)


# Backward Euler takes 3 and 7 steps of 10 and 20 upwards: off by -0.14, -0.04.
# Radau at fixed steps goes across the switch as well.
def test_switches():
    write('m.dae', "var x = 0\nx' = if t < 0.37 then 1 else -1\n"
          'solve t in 0..1\n')
    document = study('m.dae', '--orders', '1', '--steps', '0.1,0.05')
    contains(document['reference_text'], 'runs at tight tolerance')
    for row, error in zip(document['fixed_step'], [-0.14, -0.04]):
        near(row['errors']['x'], error, 1e-9, 'x')
    contains([d['code'] for d in document['diagnostics']], 'N0508')


# What jumps where a switch turns, at a place that runs find to their tolerances and at a
# comparison's own time (the end), is no error of theirs.
JUMPING = """var x = 0, i = 0, y, v
x' = cos(3*t)
y = if x > 0.1 then x + 1 else x
i' = sin(3*t) - i + v
min(i, v) = 0
solve t in 0..T
"""


def test_jumps_of_switches_are_no_errors():
    for line, end in ((JUMPING, '4'),
                      ("var x = 0, y\nx' = -x + y\ny = mod(floor(5*t + 1e-9), 2)\nsolve t in 0..T\n", '2')):
        write('m.dae', line.replace('T', end))
        document = dae('orders', 'm.dae', '--study', 'tolerances', '--orders', '5',
                       '--tolerances', '1e-4,1e-6,1e-8', '--json', '--no-times',
                       status=0).json
        assert len(document['adaptive']) == 3, document
        for row in document['adaptive']:
            assert row['error'] < 1e3*row['rtol'], row


# ---- failed runs

# At t = 2 pi x'' = -x/r^3 = -6.25, and one step of backward Euler is off by
# x'' h^2/2, whatever becomes of a run.
def test_runs_that_fail_leave_no_errors():
    write('m.dae', KEPLER)
    document = study('m.dae', '--orders', '1,4')
    rows = [r for r in document['fixed_step'] if r['order'] == 1]
    for row in rows:
        equal(row['failure']['code'], 'E0512')
        for key in ('errors', 'errors_max', 'errors_settled'):
            equal(set(row[key].values()), {None}, key)
    order = document['observed_order'][0]
    equal({v for key in ('global', 'largest', 'settled')
           for v in order[key].values()}, {None})
    row = rows[-1]
    near(row['errors_first']['x'] / row['step'] ** 2, -3.125, 0.1, 'one step')
    near(order['local']['x'], 2, 0.15, 'order of one step')


# Where a formula has no points that are all its own there is no error, not 0: index
# 4 with BDF5 wants 15 steps behind the start.
def test_errors_that_are_not_there():
    write('m.dae', "var a, b, c, d\nd' = c\nc' = b\nb' = a\n"
          'd = exp(-t)*sin(2*t)\nsolve t in 0..2\n')
    words = ['m.dae', '--steps', '0.15', '--orders', '5']
    row, = study(*words)['unequal_steps']['fixed_step']
    equal(row['errors_settled']['a'], None)
    table = text(*words).split('largest error behind the start')[1]
    line, = [part for part in table.splitlines() if part.startswith('  a ')]
    equal(line.split()[-1], '-')


# ---- sentences

# t^2 and t^4: BDF2 and above are exact for t^2. b''' of b = 2 t exp(-t) is 0 at
# t = 3, where one step ends.
def test_every_unknown_is_told_of():
    write('m.dae', "var x = 0, y\nx' = 2*t\ny = x^2\nsolve t in 0..1\n"
          'expect x ~ t^2 within 1e-4 always\n'
          'expect y ~ t^4 within 1e-4 always\n')
    document = study('m.dae')
    contains(document['fixed_step'][-1]['rounding']['errors'], 'x')
    contains(document['summary'],
             'x and y: errors of one step are of order 2, -, -, -, -')
    contains(text('m.dae'), '~ no more than rounding')
    contains(said('m.dae', '--orders', '2..3'),
             'x and y: no error but rounding.')
    write('m.dae', "var a = 2, b = 0, c\na' = -a\nb' = a - b\nc = a + b\n"
          'solve t in 0..3\nexpect a ~ 2*exp(-t) within 1e-5 always\n'
          'expect b ~ 2*t*exp(-t) within 1e-5 always\n'
          'expect c ~ 2*(1 + t)*exp(-t) within 1e-5 always\n')
    summary = said('m.dae')
    contains(summary, 'a: the error of one step is of order k + 1, over the '
             'run of order k, with BDFk up to k = 5.')
    contains(summary, 'b: errors of one step are of order 2, 4, 4, 5, 6, those '
             'of the run of order 1, 2, 3, 4, 5, with BDFk for k = 1 to 5.')
    contains(said('m.dae', '--orders', '3'),
             'errors of one step are of order 4, those of the run of order 3, '
             'with BDF3.')


# A rule about an unknown and that no order is seen of it are not told together: two
# masses as one are an oscillator.
def test_sentences_do_not_contradict():
    write('m.dae', 'param k = 3, m1 = 1, m2 = 2\n'
          "var x1 = 1, x2, v1 = 0, v2, f\nx1' = v1\nx2' = v2\n"
          "m1*v1' = -k*x1 + f\nm2*v2' = -k*x2 - f\nx1 - x2 = 0.1\n"
          'solve t in 0..4\n')
    summary = said('m.dae')
    contains(summary, 'x1 and x2: errors of one step are of order k + 1, over '
             'the run of order k, with BDFk up to k = 5.')
    equal('No order' in summary, False)


def test_wrong_starts_say_what_they_add():
    path = os.path.join(ROOT, 'models/process/chain.dae')
    contains(said(path, '--steps', '0.1', '--orders', '1', '--perturb',
                  'c3=0.01'), 'That is what the wrong start adds; the tables '
             'have whole errors')


# ---- stability

# Of 20 sections of R and C the eigenvalues are
# -4/(R C) sin^2((2 k - 1) pi/(2 (2 n + 1))).
def test_the_fastest_of_what_grows_is_told():
    write('m.dae', 'param n = 20, R = 1e3, C = 1e-6\n'
          'var u[n] = 0, i[n] ~ 0\nR*i[1] = sin(314*t) - u[1]\n'
          'R*i[k] = u[k-1] - u[k] for k in 2..n\n'
          "C*u[k]' = i[k] - i[k+1] for k in 1..n-1\nC*u[n]' = i[n]\n"
          'solve t in 0..0.05\n')
    zs = [-4 * math.sin((2 * k - 1) * math.pi / 82) ** 2
          for k in range(1, 21)]
    factors = [abs(1 + z + z ** 2 / 2 + z ** 3 / 6 + z ** 4 / 24) for z in zs]
    growing = sum(f > 1 for f in factors)
    out = ' '.join(dae('stability', 'm.dae', '--step', '1e-3', '--methods',
                       'rk4,bdf2', status=0).out.split())
    contains(out, f'by a factor of up to {max(factors):.6g} in each step (rk4)')
    contains(out, f'{growing} of 20 motions that should not grow do so')


# ---- what does not go together, and what takes too long

# A method of fixed steps alone is left out at tolerances, whatever else is studied.
def test_methods_of_fixed_steps_alone():
    write('m.dae', "var x = 1\nx' = -x\nsolve t in 0..1\n")
    words = ['orders', 'm.dae', '--study', 'tolerances', '--orders', '2',
             '--rtol', '1e-4', '--methods']
    rows = dae(*words, 'rk4,bdf', '--json', status=0).json['adaptive']
    equal([row['method'] for row in rows], ['bdf'])
    err = dae(*words, 'rk4', status=2).err
    contains(err, '`rk4` cannot choose its step')
    contains(err, '--study steps')
    equal('--step ' in err, False)


# No option that a command refuses is in its help.
def test_help_lists_what_is_taken():
    for command in ('run', 'init', 'test', 'orders', 'stability'):
        out = dae('help', command, status=0).out
        for option in set(re.findall(r'(?<![\w-])--[a-z-]+', out)):
            equal('takes no' in dae(command, option).err, False,
                  f'{command} {option}')
    equal('--method ' in dae('help', 'orders', status=0).out, False)


# 10^12 steps are not begun with.
def test_steps_that_nobody_waits_for():
    write('m.dae', "var x = 1\nx' = -x\nsolve t in 0..1\n")
    err = dae('run', 'm.dae', '--step', '1e-12', status=2).err
    contains(err, 'error[E0505]')
    contains(err, 'more than 10^7 steps from 0 to 1')
    err = dae('run', 'm.dae', '--step', '1e-12', '--max-steps', '10',
              status=6).err
    contains(err, 'or take longer steps')
    equal('tolerances' in err, False)


# At the time limit what is known is told. By Radau a rod of 100 unknowns takes much
# longer at the last step than at the first.
def test_the_time_limit():
    write('m.dae', "param n = 100\nvar T[n] = 1\n"
          "T[1]' = n^2*(T[2] - 2*T[1])\n"
          "T[k]' = n^2*(T[k-1] - 2*T[k] + T[k+1]) for k in 2..n-1\n"
          "T[n]' = n^2*(T[n-1] - T[n])\nsolve t in 0..0.1\n")
    words = ['orders', 'm.dae', '--study', 'steps', '--orders', '1', '--steps',
             '0.1,0.00001', '--time-limit', '2']
    result = dae(*words, status=6)
    contains(result.err, 'error[E0004]')
    contains(result.out, 'largest error of the run')
    contains(' '.join(result.out.split()),
             'The time limit ended the studies')
    document = dae(*words, '--json', status=6).json
    equal(document['status'], 'limit')
    first, last = document['fixed_step']
    equal(first['errors']['T[1]'] > 0, True)
    equal((last['errors']['T[1]'], last['steps']), (None, 0))


main(globals())
