"""Curves of earlier runs, and of measurements, in the picture of a run."""

import math
import os

from picture_files import Picture
from support import DECAY, contains, dae, equal, main, near, write


def read(name):
    with open(name, encoding='utf-8') as f:
        return f.read()


def draw(*words, text=DECAY + 'plot x, y\n', name='a.svg'):
    write('model.dae', text)
    r = dae('run', 'model.dae', '-o', name, *words, status=0)
    return r, Picture(name)


def test_an_earlier_run():
    write('model.dae', DECAY)
    dae('run', 'model.dae', '--set', 'k=3', '-o', 'fast.csv', status=0)
    r, p = draw('--overlay', 'fast.csv')
    contains(r.out, 'a.svg: 4 curves in 1 panel')
    for text in ('x (m)', 'y', 'fast: x (m)', 'fast: y'):
        contains(p.texts, text)
    panel, = p.panels
    for k, f in enumerate((lambda t: math.exp(-2*t), lambda t: 1 - math.exp(-2*t),
                           lambda t: math.exp(-3*t), lambda t: 1 - math.exp(-3*t))):
        for t, y in panel.points(k)[2:]:  # two are the key's
            near(y, f(t), 5e-3, f'curve {k} at {t}')
    # two files, and what --plot draws
    r, p = draw('--overlay', 'fast.csv', '--overlay', 'fast.csv', '--plot', 'total')
    contains(r.out, 'a.svg: 3 curves in 1 panel')


def test_measurements():
    """Names decide, the first column is time, and the axis has all of it."""
    write('m.csv', '# by hand\ntime;y;other\n0;0.5;a\n0.5;0.5;b\n2;0.25;c\n')
    _, p = draw('--overlay', 'm.csv')
    panel, = p.panels
    equal(len(panel.curves), 3)
    equal((panel.x.values[0], panel.x.values[-1]), (0, 2))
    near(panel.points(2)[-1][0], 2, 5e-3)
    near(panel.points(2)[-1][1], 0.25, 5e-3)


def test_over_another_quantity():
    text = DECAY + 'plot y over x\nplot r\n'
    write('model.dae', text)
    dae('run', 'model.dae', '-o', 'same.csv', '--columns', 'x,y', status=0)
    r, p = draw('--overlay', 'same.csv', text=text)
    contains(r.out, 'a.svg: 3 curves in 2 panels')
    for x, y in p.panels[0].points(1)[2:]:
        near(x + y, 1, 1e-2)


def test_jumps_stay_jumps():
    saw = ('var x = 0\nx\' = 1\nwhen t >= 0.5\n  x := 3\nend\n'
           'solve t in 0..1\n')
    write('model.dae', saw)
    dae('run', 'model.dae', '-o', 'saw.csv', status=0)
    _, p = draw('--overlay', 'saw.csv', text=saw)
    # of both a line with a gap, and thin dots across it
    equal(len(p.panels[0].curves), 4)


def test_refusals():
    write('model.dae', DECAY)
    write('none.csv', 't,a\n0,1\n')
    write('text.csv', 't,x\n0,1\n1,one\n')
    for name, status, what in (
            ('no.csv', 5, 'cannot read `no.csv`'),
            ('none.csv', 2, '--overlay: `none.csv` has a column for none of the curves'),
            ('text.csv', 2, 'column `x`: `one` is not a number'),
            ('model.dae', 3, '`model.dae`, line 3: 2 cells')):
        r = dae('run', 'model.dae', '-o', 'a.svg', '--overlay', name, status=status)
        contains(r.err, what)
    r = dae('run', 'model.dae', '--overlay', 'none.csv', status=2)
    contains(r.err, '--overlay adds curves to a picture, and none is drawn')


def test_what_is_read_is_not_written():
    write('model.dae', DECAY + 'plot x\n')
    data = 't,x\n0,1\n2,0.5\n'
    write('p.csv', data)
    write('r.partial.csv', data)
    os.symlink('p.csv', 'soft.csv')
    for name in ('p.csv', './p.csv', 'soft.csv'):
        for order in (['-o', name, '-o', 'q.svg'], ['-o', 'q.svg', '-o', name]):
            r = dae('run', 'model.dae', '--overlay', 'p.csv', *order, status=5)
            contains(r.err, f'error[E0002]: cannot write `{name}`: the command reads it')
    r = dae('run', 'model.dae', '--overlay', 'soft.csv', '-o', 'p.csv', '-o', 'q.svg',
            status=5)
    contains(r.err, 'cannot write `p.csv`: the command reads it')
    # nor on the way to another file
    dae('run', 'model.dae', '--overlay', 'r.partial.csv', '-o', 'r.csv', '-o', 'q.svg',
        status=0)
    equal((read('p.csv'), read('r.partial.csv')), (data, data))


def test_without_a_picture():
    write('model.dae', DECAY + 'plot x\n')
    write('p.csv', 't,x\n0,1\n2,0.5\n')
    for words in ([], ['-o', 'a.csv'], ['--json'], ['--plot', 'x']):
        for name in ('nothere.csv', 'p.csv'):
            r = dae('run', 'model.dae', '--overlay', name, *words, status=2)
            contains(r.out + r.err,
                     '--overlay adds curves to a picture, and none is drawn')
    for words in ([], ['-o', 'a.csv'], ['--json']):
        r = dae('run', 'model.dae', '--plot', 'x', *words, status=2)
        contains(r.out + r.err, '--plot asks for a picture, and none is drawn')
    for words in ([], ['-o', 'a.svg'], ['--json']):
        r = dae('run', 'model.dae', '--columns', 'x', *words, status=2)
        contains(r.out + r.err, '--columns are those of a table, and none is written')
    contains(dae('orders', 'model.dae', '--plot', 'x', status=2).err, '--plot goes with -o')
    equal(os.path.exists('a.csv'), False)


main(globals())
