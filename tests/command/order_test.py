"""The order of the equations is the author's: it changes neither the choice of
the linear solver nor its fill nor the result."""

import os

from support import ROOT, dae, equal, main, near, write

WALLS = ('inside:', 'west:', 'east:', 'south:', 'north:')

# an algebraic field, driven: no derivative says whose equation is whose
FIELD = '''param n = 20
var T[i in 0..n+1, j in 0..n+1] ~ 0, s = 1
s' = -s
inside: T[i-1,j] + T[i+1,j] + T[i,j-1] + T[i,j+1] - 4*T[i,j] = s  for i in 1..n, j in 1..n
west:  T[0,j]   = 0  for j in 0..n+1
east:  T[n+1,j] = s  for j in 0..n+1
south: T[i,0]   = 0  for i in 1..n
north: T[i,n+1] = 0  for i in 1..n
output middle = T[10,10]
solve t in 0..1, rtol = 1e-4
'''


def heat():
    """Without what it expects at its own tolerance."""
    with open(os.path.join(ROOT, 'models/pde/heat2d.dae'),
              encoding='utf-8') as file:
        return ''.join(line for line in file
                       if not line.startswith('expect'))


def rearranged(text, order):
    """The equations' lines in another order, where the first of them was."""
    lines = text.split('\n')
    equations = [line for line in lines if line.startswith(WALLS)]
    equal(len(equations), len(WALLS))
    at = lines.index(equations[0])
    rest = [line for line in lines if line not in equations]
    rest[at:at] = [equations[k] for k in order]
    return '\n'.join(rest)


def check(text, output, *words):
    results = []
    for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 0, 3, 4, 2]]:
        write('m.dae', rearranged(text, order))
        results.append(dae('run', 'm.dae', '--rtol', '1e-4', '--json',
                           '--no-times', *words, status=0).json)
    first = results[0]
    for other in results[1:]:
        equal(other['stats']['linear'], first['stats']['linear'])
        fill = first['stats']['fill']
        near(other['stats']['fill'], fill, 0.1*fill, 'fill')
        value = first['outputs'][output]
        near(other['outputs'][output], value, 1e-5*abs(value), output)
    return first['stats']


def test_heat():
    for linear in ['auto', 'klu']:
        stats = check(heat(), 'Tmax', '--set', 'n=40', '--linear', linear)
        equal(stats['linear'], 'klu')
        equal(stats['fill'] < 50000, True, 'fill')


def test_algebraic_field():
    check(FIELD, 'middle', '--linear', 'klu')
    check(FIELD, 'middle')


main(globals())
