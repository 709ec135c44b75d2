"""Pictures of `dae stability` are looked at: what is filled is what the formulas
say, here written down once more; wedges, marks, ranges, and what is refused.
Angles are from tests/data/reference/bdf_stability.json."""

import cmath
import json
import math
import os
import subprocess

from picture_files import Picture
from support import DAE, ROOT, contains, dae, equal, main, near, write

BLUE, RED, BLACK = '#0072B2', '#D55E00', '#000000'
# -1 and -10 +- 50i
BEAM = """"Beam"
param w = 50, d = 10
var x = 1, v = 0, y = 1
x' = v
v' = -(w^2 + d^2)*x - 2*d*v
y' = -y
solve t in 0..1
"""


def draw(*words):
    dae('stability', *words, '-o', 'a.svg', status=0)
    return Picture('a.svg')


# ---- the regions, from their formulas

def backward(order, kappa=0.0):
    """The locus of a BDF or NDF: the sum of del^j/j over j, and kappa*gamma
    times del^(k+1) from the NDF, del = 1 - exp(-i theta)."""
    gamma = sum(1 / j for j in range(1, order + 1))
    points = []
    for n in range(500):
        d = 1 - cmath.exp(-2j * math.pi * n / 500)
        z = sum(d ** j / j for j in range(1, order + 1))
        points.append(z - kappa * gamma * d ** (order + 1))
    return points


def is_within(points, z):
    inside = False
    for a, b in zip(points, points[1:] + points[:1]):
        if (a.imag > z.imag) != (b.imag > z.imag):
            at = a.real + (b.real - a.real) * (z.imag - a.imag) \
                / (b.imag - a.imag)
            inside ^= z.real < at
    return inside


def outside_of(points):
    return lambda z: not is_within(points, z)


# factors of Shampine and Reichelt 1997
KAPPA = [-0.1850, -1 / 9, -0.0823, -0.0415, 0]
STABLE = {
    **{f'bdf{k}': outside_of(backward(k)) for k in range(1, 7)},
    **{f'ndf{k}': outside_of(backward(k, KAPPA[k - 1])) for k in range(1, 6)},
    'trapezoid': lambda z: z.real <= 0,
    'euler': lambda z: abs(1 + z) <= 1,
    'rk4': lambda z: abs(1 + z + z**2/2 + z**3/6 + z**4/24) <= 1,
}


def check_area(panel, name, steps=15):
    """The polygon is the region wherever that does not change nearby."""
    stable = STABLE[name]
    left, right, bottom, top = panel.box
    polygon = [complex(x, y) for x, y in panel.areas[0][1]]
    beside = 0.02 * (right - left)
    judged = {True: 0, False: 0}
    for i in range(steps):
        for j in range(steps):
            z = complex(left + (right - left) * (i + 0.37) / steps,
                        bottom + (top - bottom) * (j + 0.37) / steps)
            is_stable = stable(z)
            if any(stable(z + beside * d) != is_stable
                   for d in (1, -1, 1j, -1j)):
                continue
            equal(is_within(polygon, z), is_stable, f'{name} at {z}')
            judged[is_stable] += 1
    # both colours are seen, each on more than a tenth of the panel
    equal(min(judged.values()) > 0.1 * steps ** 2, True, f'{name}: {judged}')


def check_panel(panel, name):
    equal([colour for colour, _ in panel.areas], [BLUE], name)
    equal(panel.colours()[1], BLUE, 'the boundary')
    check_area(panel, name)


def scale(axis):
    (p, v), (q, w) = min(axis.ticks), max(axis.ticks)
    return (q - p) / (w - v)


def test_bdf():
    p = draw('--methods', 'bdf')
    equal(len(p.panels), 6)
    with open(os.path.join(
            ROOT, 'tests/data/reference/bdf_stability.json')) as file:
        known = json.load(file)
    for k, panel in enumerate(p.panels, 1):
        check_panel(panel, f'bdf{k}')
        near(scale(panel.x), -scale(panel.y), 1e-3 * scale(panel.x), 'aspect')
        # all of the locus is seen, to its right end and to both heights
        left, right, bottom, top = panel.box
        locus = backward(k)
        equal([left < min(z.real for z in locus) - 0.1 * k,
               right > max(z.real for z in locus),
               top > max(z.imag for z in locus),
               bottom < min(z.imag for z in locus)], [True] * 4, f'bdf{k}')
        for x, y in panel.points(1):
            away = min(abs(complex(x, y) - z) for z in locus)
            near(away, 0, 0.01 * (right - left), f'boundary of bdf{k}')
        check_wedge(panel, k, float(known[f'bdf{k}']['alpha_deg']))
    contains(p.texts, 'bdf2: A-stable')
    contains(p.texts, 'bdf3: α = 86.03°')
    contains(p.texts, 'bdf6: α = 17.84°')
    equal(p.texts.count('Re(hλ)'), 3)
    equal(p.texts.count('Im(hλ)'), 2)


def check_wedge(panel, order, alpha):
    equal(len(panel.curves), 3 if order > 2 else 2, f'bdf{order}')
    if order < 3:
        return
    colour, pieces = panel.curves[2]
    equal([colour, len(pieces), len(pieces[0])], [BLACK, 1, 3])
    up, at, down = [complex(x, y) for x, y in pieces[0]]
    left, right, _, top = panel.box
    near(abs(at), 0, 0.01 * (right - left), 'the corner')
    near(math.degrees(cmath.phase(-up.conjugate())), alpha, 0.5, 'upper side')
    near(math.degrees(cmath.phase(-down)), alpha, 0.5, 'lower side')
    # to the end of the window
    equal(abs(up.real - left) < 0.01 * (right - left)
          or abs(up.imag - top) < 0.01 * (right - left), True, f'{up}')


def test_all_methods():
    p = draw()
    equal(len(p.panels), 14)
    for panel, name in zip(p.panels, STABLE):
        check_panel(panel, name)
    contains(p.texts, 'trapezoid: A-stable')
    contains(p.texts, 'rk4: bounded')


def test_a_single_method():
    p = draw('--methods', 'rk4')
    equal(len(p.panels), 1)
    check_panel(p.panels[0], 'rk4')
    left, right, bottom, top = p.panels[0].box
    for value, least in [(-left, 2.786), (right, 0.24), (-bottom, 2.94),
                         (top, 2.94)]:
        equal(least < value < 3 * least + 1.5, True, value)


def check_marks(panel, expected):
    equal(len(panel.marks), len(expected), f'{panel.marks}')
    for (colour, place), (wanted, z) in zip(panel.marks, expected):
        equal(colour, wanted, f'at {z}')
        near(abs(complex(*place) - z), 0, 0.02, f'mark at {z}')


def test_eigenvalues():
    write('beam.dae', BEAM)
    p = draw('beam.dae', '--step', '0.02', '--methods', 'bdf')
    equal(len(p.panels), 6)
    for k, panel in enumerate(p.panels, 1):
        colour = BLACK if k < 5 else RED
        check_marks(panel, [(BLACK, -0.02), (colour, -0.2 + 1j),
                            (colour, -0.2 - 1j)])
        check_area(panel, f'bdf{k}')
        # the same places in all of them
        equal(panel.x.values, p.panels[0].x.values)
        equal(panel.y.values, p.panels[0].y.values)
        equal(panel.x.values, panel.y.values)
    equal([text for text in p.texts if 'not shown' in text], [])


def test_what_is_far_is_counted():
    write('beam.dae', BEAM)
    p = draw('beam.dae', '--step', '0.2', '--methods', 'rk4')
    check_marks(p.panels[0], [(BLACK, -0.2)])
    contains(p.texts, '2 not shown')
    check_area(p.panels[0], 'rk4')
    p = draw('beam.dae', '--step', '100', '--methods', 'euler,bdf2')
    equal([panel.marks for panel in p.panels], [[], []])
    equal(p.texts.count('3 not shown'), 2)


# u' = u_xx on 20 points, h = 0.002: the fastest of them grow with Euler's method
def test_heat():
    write('heat.dae', """param n = 20
var u[n] = 1
u[k]' = (n + 1)^2*((if k > 1 then u[k-1] else 0) - 2*u[k] + (if k < n then u[k+1] else 0)) for k in 1..n
solve t in 0..1
""")
    p = draw('heat.dae', '--step', '0.002', '--methods', 'euler')
    known = [-4 * 441 * 0.002 * math.sin(k * math.pi / 42) ** 2
             for k in range(1, 21)]
    seen = [z for z in known if z >= p.panels[0].box[0]]
    grows = [z for z in seen if z < -2]
    equal(len(grows) > 1, True)
    check_marks(p.panels[0],
                [(BLACK, z) for z in seen if z >= -2]
                + [(RED, z) for z in grows])
    contains(p.texts, f'{20 - len(seen)} not shown')


def test_other_files():
    dae('stability', '--methods', 'bdf1', '-o', 'a.png', '-o', 'a.pdf',
        '--quiet', status=0)
    for name, begin in [('a.png', b'\x89PNG'), ('a.pdf', b'%PDF-')]:
        with open(name, 'rb') as file:
            equal(file.read(len(begin)), begin)
    out = dae('stability', '--methods', 'bdf1,rk4', '-o', 'a.svg', status=0).out
    contains(out, 'a.svg: 2 regions')
    contains(out, '2.78529')
    document = dae('stability', '--methods', 'bdf1', '-o', 'a.svg', '--json',
                   status=0).json
    equal(list(document), ['methods', 'summary'])
    with open('a.svg', 'rb') as file:
        first = file.read()
    dae('stability', '--methods', 'bdf1', '-o', 'b.svg', status=0)
    with open('b.svg', 'rb') as file:
        equal(file.read() == first, True, 'the same bytes')


def test_what_is_refused():
    contains(dae('help', 'stability', status=0).out, '-o FILE ')
    write('beam.dae', BEAM)
    for name in ['a.csv', '-', 'svg', '.svg']:
        contains(dae('stability', '-o', name, status=2).err,
                 'ends in .svg, .png or .pdf')
    contains(dae('stability', 'beam.dae', '-o', 'a.svg', status=2).err,
             '-o with a model wants --step')
    for words in [[], ['beam.dae', '--step', '1']]:
        result = dae('stability', *words, '-o', 'absent/a.svg', status=5)
        contains(result.err, 'error[E0002]')
        equal(result.out, '')
        document = dae('stability', *words, '-o', 'absent/a.svg', '--json',
                       status=5).json
        equal([d['code'] for d in document['diagnostics']], ['E0002'])
        process = subprocess.run(
            [DAE, 'stability', *words, '-o', 'a.svg'], timeout=60,
            env=dict(os.environ, PATH='nowhere'), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        equal(process.returncode, 5)
        contains(process.stderr.decode(), 'error[E0006]')
    equal(os.path.exists('a.svg'), False)


main(globals())
