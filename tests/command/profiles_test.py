"""Arrays over their index or over another array, at given times."""

import math

from picture_files import Picture
from support import contains, dae, equal, main, near, write

# u[i] = i^2 exp(-t) at x[i] = i/10 from 1 to 5
ROD = '''"Rod"
param n = 5
let x[i in 1..n] = i/10 {m}
var u[i in 1..n] = i^2 {K}, w[1..2,1..2] = 1, s = 1
let place[i in 1..n] = x[i] + t/10 {m}
for i in 1..n
  u[i]' = -u[i]
end
for i in 1..2, j in 1..2
  w[i,j]' = 0
end
s' = 1
half: when t >= 0.5
  u[1] := 9
end
solve t in 0..2, rtol = 1e-8, atol = 1e-10
plot s
'''


def draw(*words, text=ROD):
    write('rod.dae', text)
    r = dae('run', 'rod.dae', '-o', 'a.svg', *words, status=0)
    return r, Picture('a.svg')


def heights(panel, k):
    return [y for _, y in panel.points(k)]


def test_over_the_index():
    r, p = draw('--profile', 'u', '--at', '2,0,0.25')
    contains(r.out, 'a.svg: 3 curves in 1 panel')
    panel, = p.panels
    for k, t in enumerate((0, 0.25, 2)):
        points = panel.points(k)
        equal([round(x) for x, _ in points], [1, 2, 3, 4, 5])
        for i, (_, y) in enumerate(points, 1):
            # of u[1] the event at 0.5 has made another one
            exact = i**2*math.exp(-t) if (i, t) != (1, 2) else 9*math.exp(-1.5)
            near(y, exact, 0.1, f'u[{i}] at {t}')
    for text in ('u at 3 times', 'index', 'u (K)', 't = 0', 't = 0.25', 't = 2'):
        contains(p.texts, text)


def test_over_another_array():
    _, p = draw('--profile', 'u over x', '--at', '0')
    near([x for x, _ in p.panels[0].points(0)][-1], 0.5, 5e-3)
    contains(p.texts, 'x (m)')
    contains(p.texts, 'u at 1 time')
    # that moves
    _, p = draw('--profile', 'u over place', '--at', '0,2')
    near(p.panels[0].points(1)[-5][0], 0.3, 5e-3)  # the key's line is before


def test_after_events_and_before_the_end():
    _, p = draw('--profile', 'u', '--at', '0.5')
    near(heights(p.panels[0], 0)[0], 9, 0.1)
    r, p = draw('--profile', 'u', '--at', '0,1.5',
                text=ROD.replace('u[1] := 9', 'stop "half"'))
    contains(r.out, 'a.svg: 1 curve in 1 panel')
    contains(p.texts, 'u at 1 of 2 times')


def test_curves_of_files():
    """At the times of the run's own, where the file has rows: on a line between two of them, and after
    a jump. Over the columns of the abscissa, and beside --plot."""
    write('rod.dae', ROD)
    dae('run', 'rod.dae', '--set', 'u[2](0)=8', '--points', '21', '-o', 'hot.csv', status=0)
    write('short.csv', 't,' + ','.join(f'u[{i}]' for i in range(1, 6)) + '\n0,0,0,0,0,0\n1,2,2,2,2,2\n1,4,4,4,4,4\n')
    r, p = draw('--profile', 'u', '--at', '0.5,1,2', '--overlay', 'hot.csv', '--overlay', 'short.csv')
    contains(r.out, 'a.svg: 8 curves in 1 panel')
    for text in 'hot: t = 0.5', 'hot: t = 2', 'short: t = 0.5', 'short: t = 1':
        contains(p.texts, text)
    equal('short: t = 2' in p.texts, False)
    panel, = p.panels
    near(heights(panel, 4)[-4], 8*math.exp(-1), 0.1)  # the key's line is before
    near(heights(panel, 4)[-5], 9*math.exp(-0.5), 0.1)
    for k, y in (6, 1), (7, 4):
        near(heights(panel, k)[-1], y, 0.1)
    _, p = draw('--profile', 'u over place', '--at', '2', '--overlay', 'hot.csv', '--plot', 's')
    equal([len(panel.curves) for panel in p.panels], [2, 2])
    near(p.panels[1].points(1)[-5][0], 0.3, 5e-3)
    r = dae('run', 'rod.dae', '-o', 'a.svg', '--profile', 'u over x', '--overlay', 'short.csv', status=2)
    contains(r.err, '--overlay: `short.csv` has a column for none of the curves')


def test_five_times_and_several_arrays():
    _, p = draw('--profile', 'u,place')
    equal([len(panel.curves) for panel in p.panels], [5, 5])
    for text in ('t = 0', 't = 0.5', 't = 1', 't = 1.5', 't = 2'):
        contains(p.texts, text)
    # below the curves of --plot
    _, p = draw('--profile', 'u', '--at', '1', '--plot', 's')
    equal([len(panel.curves) for panel in p.panels], [1, 1])
    # backwards in time
    _, p = draw('--profile', 'u', '--at', '-1,0',
                text=ROD.replace('0..2', '0..-1'))
    near(heights(p.panels[0], 1)[4], 25*math.e, 1)


def test_same_values_with_and_without():
    write('rod.dae', ROD)
    for name, more in (('a', []),
                       ('b', ['-o', 'b.svg', '--profile', 'u', '--at', '0.3'])):
        dae('run', 'rod.dae', '--points', '9', '-o', f'{name}.csv', *more,
            status=0)
    with open('a.csv') as a, open('b.csv') as b:
        equal(a.read(), b.read())


def test_refusals():
    write('rod.dae', ROD)
    for words, what in (
            (['w'], '`w[1,1]` has several indices; a profile has one'),
            (['s'], '`s` is no array'),
            (['u[2]'], '`u[2]` is a single element'),
            (['q'], 'has no unknown, discrete variable, let or output `q`'),
            (['u over s'], '`u over s` has arrays of other indices'),
            (['u', '--at', '3'], '--at 3 is outside of the interval')):
        r = dae('run', 'rod.dae', '-o', 'a.svg', '--profile', *words, status=2)
        contains(r.err, what)
    r = dae('run', 'rod.dae', '-o', 'a.csv', '--profile', 'u', status=2)
    contains(r.err, 'error[E0505]: --profile asks for a picture, and none is drawn')
    for words, what in ((['--at', '1'], '--at goes with --profile'),
                        (['--profile', 'u', '--at', '1,'], 'numbers with commas'),
                        (['--profile', 'u', '--at', 'x'], 'numbers with commas')):
        r = dae('run', 'rod.dae', *words, status=2)
        contains(r.err, what)


main(globals())
