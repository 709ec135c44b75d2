"""Trivial unknowns taken out of linear systems: `dae show --jacobian --condensed`,
what --stats say, and that a run without is the same. Sizes follow by hand:

Masses on springs, forces as unknowns. Matrix of a step: x[i] (of order 2, one
column) and T[i] in motion[i] and motion[i-1], T[i] by spring[i] from x[i] and
x[i-1]. 120 columns; 3 entries a row but for two at the ends: 358. All T given by
their springs leaves a tridiagonal matrix of the x: 60 columns, 178 entries."""

import math
import os

from support import ROOT, contains, dae, equal, main, near, write

SPRINGS = '''"Sixty masses between springs"
param n = 60
var x[i in 1..n] = 0
var T[n]
init x[1]' = 1
init x[i]' = 0 for i in 2..n
motion: x[i]'' = (if i < n then T[i+1] else 0) - T[i]  for i in 1..n
spring: T[i] = 10*(x[i] - (if i > 1 then x[i-1] else 0))  for i in 1..n
solve t in 0..2, rtol = 1e-8, atol = 1e-8
'''
SIZES = ['columns', 'nonzeros', 'whole_fill', 'condensed',
         'condensed_nonzeros', 'fill']


def run(*words):
    return dae('run', 'm.dae', '--json', *words, status=0).json


def sizes(document):
    return [document['stats'][key] for key in SIZES]


def test_statistics():
    write('m.dae', SPRINGS)
    equal(sizes(run('--linear', 'dense')), [120, 358, 14400, 60, 178, 3600])
    equal(sizes(run('--linear', 'dense', '--condense', 'never')),
          [120, 358, 14400, 120, 358, 14400])
    # nothing fills in a tridiagonal matrix
    sparse = sizes(run('--linear', 'klu'))
    equal(sparse[:2] + sparse[3:], [120, 358, 60, 178, 178])
    out = dae('run', 'm.dae', '--stats', '--linear', 'dense', status=0).out
    rows = [line.split() for line in out.splitlines()]
    for words in ['columns of the matrix 120', 'its entries 358',
                  'entries of its L + U, about 14400', 'columns factorized 60',
                  'their entries 178', 'entries of L + U 3600']:
        equal(words.split() in rows, True, words)


def test_the_same_solution():
    write('m.dae', SPRINGS)
    condensed, whole = run(), run('--condense', 'never')
    for name, value in whole['values'].items():
        near(condensed['values'][name], value, 1e-6, name)
    near(condensed['stats']['steps'], whole['stats']['steps'],
         0.1 * whole['stats']['steps'], 'steps')


LISTING = '''Sixty masses between springs
iteration matrix at t = 0 for a step of H

                    whole  condensed
  columns             120         60
  entries             358        178

taken out, in this order
''' + ''.join(f'  T[{i}]'.ljust(9) + f'by  spring[{i}]\n' for i in range(1, 61))



def test_what_is_taken_out():
    write('m.dae', SPRINGS)
    out = dae('show', 'm.dae', '--jacobian', '--condensed', status=0).out
    lines = out.splitlines()
    lines[1] = lines[1].rsplit(' ', 1)[0] + ' H'
    # which solver is chosen is not what is asked here
    contains(lines[6], 'entries of L + U')
    contains(lines[7], 'linear solver')
    del lines[6:8]
    equal('\n'.join(lines) + '\n', LISTING)
    equal(dae('show', 'm.dae', '--condensed', status=0).out, out)


def test_where_nothing_is_worth_it():
    path = os.path.join(ROOT, 'models/mechanics/pendulum.dae')
    out = dae('show', path, '--condensed', status=0).out
    contains(out, 'nothing is taken out: it would not save time\n')
    path = os.path.join(ROOT, 'models/mechanics/bead_chain.dae')
    out = dae('show', path, '--condensed', '--set', 'n=25', status=0).out
    # 25 accelerations, one a bead, by Newton's law for them
    contains(out, "  columns             125        100\n")
    equal(len([s for s in out.splitlines() if "''" in s and ' by ' in s]), 25)


# w^2 = 1 - t ends at t = 1, where `fold` no longer determines w.
FOLD = SPRINGS.replace('solve', '''var w ~ 1
fold: w^2 = 1 - t
solve''')


def test_failures_name_the_same():
    write('m.dae', FOLD)
    for words in [['--condense', 'auto'], ['--condense', 'never']]:
        ran = dae('run', 'm.dae', '--json', '--quiet', *words, status=4)
        d = ran.json['diagnostics'][-1]
        contains(d['message'], '`fold`')
        near(ran.json['t'], 1, 1e-6)
        equal(ran.json['stats']['condensed'] < 121, words[1] == 'auto')


BURGERS = '''"Burgers' equation between walls, fluxes as unknowns"
param n = {n}, nu = 0.02
let h = 1/n
var u[1..n], f[0..n]
init u[i] = sin(pi*(i - 0.5)*h) for i in 1..n
h*u[i]' = f[i-1] - f[i] for i in 1..n
f[i] = u[i]^2/2 + nu/h*(u[i] - u[i+1]) for i in 1..n-1
f[0] = 0
f[n] = 0
output momentum = h*sum(u)
solve t in 0..1, rtol = 1e-6, atol = 1e-9
'''


def test_a_condensed_solution_that_overflows():
    """Fluxes taken out one after the other grow by alpha each: the whole matrix takes
    over. What flows through no wall stays: 1/sin(pi/2n)/n at the start."""
    for n in 60, 100, 300:
        write('m.dae', BURGERS.format(n=n))
        ran = dae('run', 'm.dae', '--json', '--quiet', status=0)
        near(ran.json['outputs']['momentum'], 1/math.sin(math.pi/2/n)/n, 1e-9)


def test_wrong_use():
    write('m.dae', SPRINGS)
    contains(dae('run', 'm.dae', '--condense', 'always', status=2).err,
             '--condense wants auto or never')
    contains(dae('show', 'm.dae', '--ast', '--condensed', status=2).err,
             '--condensed goes with --jacobian')
    contains(dae('show', 'nothing.dae', '--condensed', status=5).err, 'E0001')


main(globals())
