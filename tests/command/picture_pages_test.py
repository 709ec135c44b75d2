"""The pictures of docs/pictures.md are what its commands make: the same
panels, colours and ticks, and curves that lie on those of the files. Steps may
differ in their last digits between machines, so bytes may."""

import os
import re

from picture_files import Picture
from support import ROOT, dae, equal, main


def commands():
    with open(os.path.join(ROOT, 'docs/pictures.md'), encoding='utf-8') as file:
        text = file.read()
    shown = re.findall(r'\]\((pictures/\w+\.svg)\)', text)
    made = re.findall(r'^    dae run (\S+) -o docs/(pictures/\w+\.svg)$', text,
                      re.M)
    equal([name for _, name in made], shown, 'each picture has its command')
    equal(len(made) >= 3, True)
    return made


def unit_places(panel, k):
    """Points of a curve in parts of the axes' length."""
    places = []
    for axis, values in ((panel.over, [x for x, _ in panel.points(k)]),
                         (panel.y, [y for _, y in panel.points(k)])):
        near, far = axis.place(axis.values[0]), axis.place(axis.values[-1])
        places.append([(axis.place(v) - near) / (far - near) for v in values])
    return list(zip(*places))


def farthest(points, line):
    """The largest distance of a point from the line through others."""
    worst = 0
    for x, y in points:
        least = 9
        for (a, b), (c, d) in zip(line, line[1:]):
            length = (c - a) ** 2 + (d - b) ** 2
            part = ((x - a) * (c - a) + (y - b) * (d - b)) / length \
                if length else 0
            part = min(1, max(0, part))
            least = min(least, (x - a - part * (c - a)) ** 2
                        + (y - b - part * (d - b)) ** 2)
        worst = max(worst, least)
    return worst ** 0.5


def compare(panel, other):
    equal(panel.colours(), other.colours())
    equal(panel.x.values, other.x.values)
    equal(panel.y.values, other.y.values)
    for k in range(len(panel.curves)):
        a, b = unit_places(panel, k), unit_places(other, k)
        equal(len(a) > 20, True, 'not blank')
        some = slice(None, None, max(1, len(a) // 60))
        equal(farthest(a[some], b) < 0.01, True, f'curve {k}')
        equal(farthest(b[some], a) < 0.01, True, f'curve {k}')


def test_pictures_of_the_page():
    for model, name in commands():
        dae('run', os.path.join(ROOT, model), '-o', 'new.svg', status=0)
        new = Picture('new.svg')
        old = Picture(os.path.join(ROOT, 'docs', name))
        equal(sorted(new.texts), sorted(old.texts), name)
        equal(len(new.panels), len(old.panels), name)
        equal((new.width, new.height), (old.width, old.height), name)
        for panel, other in zip(new.panels, old.panels):
            compare(panel, other)


def test_no_other_pictures():
    there = os.listdir(os.path.join(ROOT, 'docs/pictures'))
    equal(sorted('pictures/' + name for name in there),
          sorted(name for _, name in commands()))


main(globals())
