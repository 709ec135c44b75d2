"""docs/methods.md says what bdf-flc and ndf cost beside bdf at equal errors: the
command that it shows makes its rows, and what docs/numerics.md concludes from
them is so."""

import os
import subprocess
import sys

from support import DAE, ROOT, contains, equal, main

TABLE = os.path.join(ROOT, 'docs', 'methods.md')
TOOL = os.path.join(ROOT, 'tools', 'dev', 'work_precision.py')


def rows_of(text):
    """{model: [six ratios]} of a table in Markdown, without the row of all."""
    rows = {}
    for line in text.splitlines():
        cells = [c.strip() for c in line.strip('|').split('|')]
        if len(cells) == 8 and '..' in cells[1]:
            rows[cells[0]] = [float(c) for c in cells[2:]]
    return rows


def committed():
    with open(TABLE, encoding='utf-8') as f:
        return rows_of(f.read())


def test_rows_are_made_again():
    models = ['models/process/tank1.dae', 'models/chemistry/robertson.dae',
              'models/mechanics/pendulum_minimal.dae']
    made = subprocess.run([sys.executable, TOOL, DAE, *models], cwd=ROOT,
                          capture_output=True, text=True, check=True)
    rows, known = rows_of(made.stdout), committed()
    equal(len(rows), len(models))
    for name, ratios in rows.items():
        for a, b in zip(ratios, known[name], strict=True):
            # another compiler rounds otherwise, which moves a step or two
            if not 0.9 * b <= a <= 1.1 * b:
                raise AssertionError(f'{name}: {ratios}, {known[name]} in docs')


def mean(rows, count):
    product = 1.0
    for ratios in rows.values():
        product *= ratios[count]
    return product ** (1 / len(rows))


def test_bdf_is_the_right_default():
    """Over all models the mean of each count is above 1 for both others."""
    rows = committed()
    if len(rows) < 50:
        raise AssertionError(f'{len(rows)} models alone')
    for count in range(6):
        if mean(rows, count) <= 1:
            raise AssertionError(f'column {count}: bdf is not the better one')


def section():
    with open(os.path.join(ROOT, 'docs', 'numerics.md'), encoding='utf-8') as f:
        text = f.read()
    begin = text.index('### Which method is the default')
    return text[begin:text.index('\n## ', begin)]


# Means of ratios that are rounded to two digits are right to 0.005, and shown
# with 0.005.
def test_what_is_said_of_the_default():
    """Figures of docs/numerics.md are those of the table."""
    rows, text = committed(), section()
    contains(text, f'on the {len(rows)} models of index 0 and 1')
    contains(text, '`bdf` is the default')
    for first, method in enumerate(('bdf-flc', 'ndf')):
        line, = [l for l in text.splitlines() if l.startswith(f'| `{method}`')]
        shown = [float(c) for c in line.strip('| ').split('|')[1:]]
        equal(len(shown), 4)
        for k in range(3):
            found = mean(rows, 3*first + k)
            if abs(shown[k] - found) > 0.0101:
                raise AssertionError(f'{method}: {shown[k]}, {found} of all')
        equal(shown[3], sum(r[3*first + 1] < 1 for r in rows.values()))


# column of the table: what the section calls the extremes of it
EXTREMES = [(min, 5, 0.61, 'ring_modulator'), (min, 4, 0.79, 'van_der_pol'),
            (min, 1, 0.81, 'singular_mass'),
            (max, 2, 2.55, 'net2d_conservative_tensions'),
            (max, 4, 1.47, 'rigid_body_steps')]


def test_what_is_lost_and_gained_at_most():
    rows, text = committed(), section()
    for extreme, count, ratio, name in EXTREMES:
        found = extreme(rows, key=lambda model: rows[model][count])
        equal((found, rows[found][count]), (name, ratio))
        contains(text, f'`{name}`')
        contains(text, f'{ratio:.2f}')
    # nothing is lost, nor gained, that is more
    flat = [ratio for ratios in rows.values() for ratio in ratios]
    equal((min(flat), max(flat)), (0.61, 2.55))
    for name in ('ring_modulator', 'van_der_pol', 'cosine_root'):
        equal(max(rows[name][3:]) < 1, True, name)
        equal(min(rows[name][3:]) >= 0.60, True, name)


main(globals())
