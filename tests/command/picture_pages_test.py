"""The pictures of docs/pictures.md, stability.md and orders.md are what the commands
above them make: the same
panels, colours and ticks, and curves that lie on those of the files. Steps may
differ in their last digits between machines, so bytes may."""

import math
import os
import re
import shlex

from picture_files import Picture
from support import ROOT, dae, equal, main, near, write


def read(page):
    with open(os.path.join(ROOT, 'docs', page), encoding='utf-8') as file:
        return file.read()


def commands(page):
    text = read(page)
    shown = re.findall(r'\]\((pictures/\w+\.svg)\)', text)
    made = re.findall(r'^(?:    |\$ )dae (.+) -o docs/(pictures/\w+\.svg)'
                      r'(?: --quiet)?$', text, re.M)
    equal([name for _, name in made], shown, 'each picture has its command')
    equal(len(made) >= 2, True)
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
        # a wedge, whose marks have no lines; a study's few points
        if len(a) <= 20 and (panel.areas or panel.marks):
            equal(len(a), len(b))
            for p, q in zip(a, b):
                near(math.dist(p, q), 0, 0.01, f'curve {k}')
            continue
        equal(len(a) > 20, True, 'not blank')
        some = slice(None, None, max(1, len(a) // 60))
        equal(farthest(a[some], b) < 0.01, True, f'curve {k}')
        equal(farthest(b[some], a) < 0.01, True, f'curve {k}')


def compare_fillings(panel, other):
    for a, b in [(panel.areas, other.areas), (panel.marks, other.marks)]:
        equal([colour for colour, _ in a], [colour for colour, _ in b])
    width = panel.box[1] - panel.box[0]
    for (_, points), (_, others) in zip(panel.areas, other.areas):
        lines = points + points[:1], others + others[:1]
        equal(max(farthest(lines[0], lines[1]), farthest(lines[1], lines[0]))
              < 0.01 * width, True, 'area')
    for (_, place), (_, there) in zip(panel.marks, other.marks):
        near(math.dist(place, there), 0, 0.01 * width, 'mark')


def check_page(page):
    os.symlink(os.path.join(ROOT, 'models'), 'models')
    for words, name in commands(page):
        dae(*shlex.split(words), '-o', 'new.svg', status=0)
        new = Picture('new.svg')
        old = Picture(os.path.join(ROOT, 'docs', name))
        equal(sorted(new.texts), sorted(old.texts), name)
        equal(len(new.panels), len(old.panels), name)
        equal((new.width, new.height), (old.width, old.height), name)
        for panel, other in zip(new.panels, old.panels):
            compare(panel, other)
            compare_fillings(panel, other)


def test_pictures_of_the_page():
    check_page('pictures.md')


def test_pictures_of_the_lesson():
    write('lesson.dae', re.search(r'```dae\n(.*?)```', read('stability.md'),
                                  re.S)[1])
    check_page('stability.md')


def test_pictures_of_the_lesson_on_orders():
    write('lesson.dae', re.search(r'```dae\n(.*?)```', read('orders.md'),
                                  re.S)[1])
    check_page('orders.md')


def test_no_other_pictures():
    """check_test.py looks at that of structure.md."""
    there = os.listdir(os.path.join(ROOT, 'docs/pictures'))
    equal(sorted('pictures/' + name for name in there),
          sorted(['pictures/structure_pendulum.svg']
                 + [name for page in ('pictures.md', 'stability.md',
                                      'orders.md')
                    for _, name in commands(page)]))


main(globals())
