"""dae orders --study tolerances: errors are seen wherever they are, on the model's
own grid and in a fast start, and they are against another method than those that
are studied. Expected errors are from `dae run` on other grids, and by hand."""

import csv
import io
import math
import os

from support import ROOT, contains, dae, equal, main, near, write

CHEMISTRY = os.path.join(ROOT, 'models', 'chemistry')
PENDULUM = os.path.join(ROOT, 'models', 'mechanics', 'pendulum.dae')
# exact: cos(t) + exp(-1000 t)
FAST = """var x = 2
x' = -1000*(x - cos(t)) - sin(t)
solve t in 0..10, rtol = 1e-3, atol = 1e-3
"""
LINEAR = """var x = 1, y = 0, z ~ 1
x' = -2*x + y
y' = -x*z + cos(t)
z = 1 + x^2
solve t in 0..2
"""


def study(name, *words):
    return dae('orders', name, '--study', 'tolerances', '--orders', '5',
               '--json', '--no-times', *words, status=0).json


def text_of(name, *words):
    return dae('orders', name, '--orders', '5', '--no-times', *words,
               status=0).out


def rows_of(name, *words):
    # a loose run does not do what `expect` lines say of the end
    out = dae('run', name, '-o', '-', '--quiet', *words).out
    return [[float(cell) for cell in row]
            for row in list(csv.reader(io.StringIO(out)))[1:]]


# E5 goes on over 13 decades: even times see its last one. On the grid of the model
# itself, even in the logarithm, two runs differ by what one of them is wrong by.
def check_e5(name, rtol, ratio):
    path = os.path.join(CHEMISTRY, name)
    loose = rows_of(path, '--rtol', str(rtol), '--atol', str(rtol * ratio))
    tight = rows_of(path, '--rtol', '1e-11', '--atol', str(1e-11 * ratio))
    known = 0
    for column in range(1, 5):
        size = max(abs(row[column]) for row in tight)
        known = max(known, max(abs(a[column] - b[column])
                               for a, b in zip(loose, tight)) / size)
    row, = study(path, '--tolerances', str(rtol))['adaptive']
    equal(0.9 * known <= row['error'] <= 3 * known, True,
          f'{name} at {rtol}: {row["error"]}, on its grid {known}')
    return known


def test_a_logarithmic_grid():
    equal(check_e5('e5.dae', 1e-2, 1e-22) > 5e-3, True, 'e5')
    equal(check_e5('e5_ode.dae', 1e-4, 1e-22) > 5e-5, True, 'e5_ode')


# The start is over at t = 0.01, a thousandth of the interval.
def test_a_fast_start():
    write('m.dae', FAST)
    exact = lambda t: math.cos(t) + math.exp(-1000 * t)
    known = max(abs(x - exact(t)) / 2 for t, x in rows_of('m.dae', '--all-steps'))
    with_closed = FAST + 'expect x ~ cos(t) + exp(-1000*t) within 0.1 always\n'
    write('closed.dae', with_closed)
    found, = study('m.dae', '--tolerances', '1e-3')['adaptive']
    closed, = study('closed.dae', '--tolerances', '1e-3')['adaptive']
    equal(known > 5e-4, True, f'{known} at the steps')
    equal(0.7 * known <= closed['error'] <= 3 * known, True,
          f'{closed["error"]}, at the steps of the run {known}')
    near(found['error'], closed['error'], 1e-9, 'by Radau')
    equal(closed['uncertainty'], 0)
    equal(found['uncertainty'] < 1e-11, True, str(found['uncertainty']))


# The document and the head say what it was.
def test_the_reference_is_another_method():
    write('m.dae', LINEAR)
    for words in [], ['--methods', 'bdf,bdf-flc,ndf']:
        words = ['--tolerances', '1e-3', *words]
        contains(study('m.dae', *words)['adaptive_reference'],
                 'Radau IIA of order 9')
        contains(text_of('m.dae', '--study', 'tolerances', *words),
                 'errors against Radau IIA of order 9 at half of each step of '
                 'a run at rtol = 1e-06\nt = 0 .. 2\n')
    for methods, other in [('bdf', 'ndf'), ('ndf', 'bdf-flc'),
                           ('bdf,ndf', 'bdf-flc'), ('ndf,bdf-flc', 'bdf')]:
        document = study(PENDULUM, '--tolerances', '1e-3', '--methods', methods)
        equal(document['adaptive_reference'], f'a run of {other} at rtol = '
              '1e-12, with the index reduced')
    # each study tells its own
    contains(text_of('m.dae', '--tolerances', '1e-3', '--steps', '0.1'),
             'errors against Radau IIA of order 9 at a quarter of each step\n'
             '  at tolerances against Radau IIA of order 9 at half of each step '
             'of a run at rtol = 1e-06\n')
    document = study(os.path.join(CHEMISTRY, '..', 'process', 'tank1.dae'))
    equal(document['adaptive_reference'],
          "the closed forms of the model's expect lines")


# What a reference is wrong by is no error of a method. At rtol = 1e-12 the pendulum
# is as near to the reference as that is to the solution.
def test_errors_of_the_reference_are_marked():
    words = ['--tolerances', '1e-3,1e-12', '--methods', 'bdf', '--reduce',
             'auto']
    rows = [r for r in study(PENDULUM, *words)['adaptive']
            if r['reduce'] == 'auto']
    equal([r['rtol'] for r in rows], [1e-3, 1e-12])
    equal([r.get('doubted') for r in rows], [None, True])
    for row in rows:
        equal(0 < row['uncertainty'] < 1e-7, True, str(row['uncertainty']))
    out = text_of(PENDULUM, '--study', 'tolerances', *words)
    contains(out, ' ?')
    contains(out, '  ? less than 10 times what the reference is wrong by (')
    equal('?' in text_of(PENDULUM, '--study', 'tolerances', '--tolerances',
                         '1e-3'), False)


# In the first step c1 and c2 of the tank have no past; all of it is looked at. A
# line through both ends is off by h^2/8 = 1e-5 where that is 0.00927, of 2.1.
def test_the_first_step():
    name = os.path.join(CHEMISTRY, '..', 'process', 'tank2.dae')
    rows = [r for r in study(name, '--tolerances', '1e-6,1e-8')['adaptive']
            if r['reduce'] == 'auto']
    equal([r['rtol'] for r in rows], [1e-6, 1e-8])
    for row in rows:
        equal(0 < row['error'] <= 10 * row['rtol'], True, str(row))


# A kink is where Radau's steps show nothing: a run goes through it. x = |t - 1|
# by its equation, y its integral, 0.5 at the end.
def test_a_kink():
    write('m.dae', "var y = 0, x ~ 1\ny' = x\nx = abs(t - 1)\n"
          'solve t in 0..2\n')
    row, = study('m.dae', '--tolerances', '1e-3')['adaptive']
    equal(row['uncertainty'] < 1e-6, True, str(row['uncertainty']))


def test_rounding_falls_with_what_is_rounded():
    """x grows to 12 and decays to exp(-47.5). Its noise is measured while it is large; kept,
    it was 1e-17 at the end, 5000 times as much as x."""
    write('m.dae', """var x = 1
discrete v = 0.5
x' = v*x
on: when t >= 5
  v := -5
end
solve t in 0..15, atol = 1e-40
""")
    for method in 'bdf', 'radau':
        for rtol in 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12:
            x = dae('run', 'm.dae', '--json', '--method', method, '--rtol', str(rtol),
                    status=0).json['values']['x']
            near(x/math.exp(-47.5), 1, 200*rtol, f'{method} at {rtol}')
    write('m.dae', "var x = 1\nx' = -x\nsolve t in 0..50, atol = 1e-60\n")
    for rtol in 1e-3, 3e-4, 2e-4, 1e-4, 1e-5:
        x = dae('run', 'm.dae', '--json', '--rtol', str(rtol), status=0).json['values']['x']
        near(x/math.exp(-50), 1, 200*rtol, f'{rtol}')


main(globals())
