"""docs/methods.md says what bdf-flc and ndf cost beside bdf at equal errors: the
command that it shows makes its rows, and what docs/numerics.md concludes from
them is so."""

import os
import subprocess
import sys

from support import DAE, ROOT, equal, main

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


def test_bdf_is_the_right_default():
    """Over all models the mean of each count is above 1 for both others."""
    rows = committed()
    if len(rows) < 50:
        raise AssertionError(f'{len(rows)} models alone')
    for count in range(6):
        product = 1.0
        for ratios in rows.values():
            product *= ratios[count]
        if product ** (1 / len(rows)) <= 1:
            raise AssertionError(f'column {count}: bdf is not the better one')


main(globals())
