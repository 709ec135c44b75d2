"""Pictures of runs are looked at: how many curves, over which ranges, at which
values; what happens without gnuplot, with one that fails, and when interrupted.
"""

import math
import os
import re
import resource
import signal
import stat
import subprocess
import time

from picture_files import Picture, read_png
from support import DAE, DECAY, ENDLESS, contains, dae, equal, main, near, write

BLUE, RED, GREEN = '#0072B2', '#D55E00', '#009E73'
OSCILLATOR = '''"Oscillator"
var x = 1 {m}, v = 0 {m/s}
x' = v
v' = -4*x
output energy = v^2/2 + 2*x^2 {kg*m^2/s^2}
solve t in 0..3, rtol = 1e-8, atol = 1e-10
'''


def draw(text, *words, name='a.svg'):
    write('model.dae', text)
    dae('run', 'model.dae', '-o', name, *words, status=0)
    return Picture(name) if name.endswith('.svg') else None


def check_function(panel, k, f, tolerance):
    """Curve k is y = f(x) wherever it has a point, and it has many."""
    points = panel.points(k)
    equal(len(points) > 100, True, f'{len(points)} points')
    for x, y in points:
        near(y, f(x), tolerance, f'curve {k} at {x}')


def test_curves_over_time():
    p = draw(DECAY + 'plot x, y\n')
    equal(len(p.panels), 1)
    panel = p.panels[0]
    equal(panel.colours(), [BLUE, RED])
    check_function(panel, 0, lambda t: math.exp(-2 * t), 3e-3)
    check_function(panel, 1, lambda t: 1 - math.exp(-2 * t), 3e-3)
    equal(panel.x.values[0], 0)
    equal(panel.x.values[-1], 1)
    equal(panel.y.values, [0, 0.2, 0.4, 0.6, 0.8, 1])
    # from the first time to the last
    near(panel.points(0)[0][0], 0, 2e-3)
    near(panel.points(0)[-1][0], 1, 2e-3)
    # names at the curves' ends, and on the axes
    equal(sorted(p.texts), ['t', 'x (m)', 'x (m), y', 'y'])


def test_panels():
    p = draw(OSCILLATOR + 'plot x\nplot v, 2*x\nplot v over x\n')
    equal([len(panel.curves) for panel in p.panels], [1, 2, 1])
    one, two, phase = p.panels
    check_function(one, 0, lambda t: math.cos(2 * t), 1e-2)
    check_function(two, 0, lambda t: -2 * math.sin(2 * t), 2e-2)
    check_function(two, 1, lambda t: 2 * math.cos(2 * t), 2e-2)
    for x, v in phase.points(0):
        near(x ** 2 + v ** 2 / 4, 1, 2e-2, 'on the ellipse')
    # the upper panel leaves its times to the lower one
    equal(one.x.values, [])
    equal((two.x.values[0], two.x.values[-1]), (0, 3))
    equal((phase.x.values[0], phase.x.values[-1]), (-1, 1))
    equal((phase.y.values[0], phase.y.values[-1]), (-2, 2))
    contains(p.texts, 'x (m)')
    contains(p.texts, 'v (m/s)')
    equal(p.texts.count('t'), 1)


def test_an_orbit_keeps_its_shape():
    """Ellipses of half axes 1 and b, without units: as long on one axis as on the
    other up to a factor of 2; with one unit up to 4."""
    for b, unit, is_equal in ((0.8, '', True), (0.3, '', False),
                              (0.3, ' {m}', True), (0.2, ' {m}', False)):
        p = draw(f"var x = 1{unit}, y = 0{unit}\nx' = -y/{b}\ny' = {b}*x\n"
                 'solve t in 0..7, rtol = 1e-8\nplot y over x\n')
        panel, = p.panels
        units = []
        for axis in (panel.x, panel.y):
            (a, v), (c, w) = min(axis.ticks), max(axis.ticks)
            units.append(abs((c - a)/(w - v)))
        equal(abs(units[0]/units[1] - 1) < 0.02, is_equal, (b, unit, units))


def test_without_plot_lines():
    p = draw(DECAY.replace('y ~ 0', 'y ~ 0, z = 3 {m}') + "z' = 0\n")
    # one panel for metres, one for what has no unit
    equal([len(panel.curves) for panel in p.panels], [2, 1])
    contains(p.texts, 'x, z (m)')
    check_function(p.panels[0], 1, lambda t: 3, 1e-2)
    check_function(p.panels[1], 0, lambda t: 1 - math.exp(-2 * t), 3e-3)


def test_units_are_printed():
    p = draw(OSCILLATOR + 'plot energy\n')
    contains(p.texts, 'energy (kg·m²/s²)')
    # 2 within 1e-6: the ticks share the 2
    equal(any(text.startswith('2 + …×10⁻') for text in p.texts), True, p.texts)
    equal(len(p.panels[0].curves), 1)


def test_logarithmic_times():
    p = draw(DECAY.replace('0..1,', '0..100, grid = "log", first = 1e-4,')
             + 'plot x\n')
    panel = p.panels[0]
    equal(panel.x.values, [1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100])
    for t, x in panel.points(0):
        near(x, math.exp(-2 * t), 2e-2, f'x at {t}')
    near(panel.points(0)[0][0], 1e-4, 1e-5)


def test_not_a_number_breaks_the_line():
    p = draw(DECAY + 'output s = sqrt((t - 0.3)*(t - 0.6))\nplot s\n')
    (_, pieces), = p.panels[0].curves
    equal(len(pieces), 2)
    near(pieces[0][-1][0], 0.3, 1e-2)
    near(pieces[1][0][0], 0.6, 1e-2)


def test_many_curves_have_a_key():
    names = [f'concentration{k}' for k in range(1, 7)]
    text = ''.join(f"var {n} = {k}\n{n}' = 0*{n}\n"
                   for k, n in enumerate(names))
    p = draw(text + f'solve t in 0..1\nplot {", ".join(names)}\n')
    for name in names:
        contains(p.texts, name)
    equal([name for _, name in p.key], names)
    for place, name in p.key:  # with room for letters of usual width
        equal(place + len(name) * 0.6 * 15 < p.width, True, (place, p.width))
    panel = p.panels[0]
    equal(len(set(panel.colours())), 6)
    for k in range(6):
        # the last piece is the curve, the first its sample in the key
        for _, y in panel.curves[k][1][-1]:
            near(y, k, 0.03, names[k])
    p = draw('var x[90] = 1\nx\' = -x\nsolve t in 0..1\nplot x\n')
    equal(len(p.panels[0].curves), 60)
    contains(p.texts, '60 of 90 curves')
    equal({'x[1]', 'x[90]'} & set(p.texts), {'x[1]'})


def test_names_are_harmless():
    p = draw("var λ_1 = 1\nλ_1' = -λ_1\nsolve t in 0..1\n"
             'plot λ_1, exp(-λ_1)*(\n  2 # $x `ls` \'q\'\n  )\n')
    contains(p.texts, 'λ_1')
    equal(any('`ls` \'q\'' in text for text in p.texts), True, p.texts)


def test_the_same_bytes_each_time():
    os.mkdir('home')
    write('home/.gnuplot', 'set terminal dumb\nexit\n')
    write('model.dae', DECAY + 'plot x, y\n')
    words = ['-o', 'a.svg', '-o', 'a.png', '-o', 'a.pdf']
    dae('run', 'model.dae', *words, status=0)
    first = {name: open(name, 'rb').read() for name in words[1::2]}
    time.sleep(1.1)  # so that a date would differ
    environment = dict(os.environ, HOME=os.path.abspath('home'), TZ='Asia/Tokyo')
    process = subprocess.run([DAE, 'run', 'model.dae', *words],
                             env=environment, stdout=subprocess.DEVNULL)
    equal(process.returncode, 0)
    for name, before in first.items():
        equal(open(name, 'rb').read() == before, True, name)
    equal(sorted(os.listdir('.')),
          ['a.pdf', 'a.png', 'a.svg', 'home', 'model.dae'])


def test_png():
    svg = draw(DECAY + 'plot x, y\n')
    draw(DECAY + 'plot x, y\n', name='a.png')
    rows = read_png('a.png')
    # twice as fine as the points of the other formats
    equal((len(rows[0]), len(rows)), (2 * svg.width, 2 * svg.height))
    counts = {}
    for row in rows:
        for pixel in row:
            counts[pixel] = counts.get(pixel, 0) + 1
    for colour, least in (('FFFFFF', len(rows) * len(rows[0]) * 0.8),
                          (BLUE[1:], 1000), (RED[1:], 1000)):
        seen = counts.get(tuple(bytes.fromhex(colour)), 0)
        equal(seen > least, True, f'{colour}: {seen} pixels')
    # x begins at the top of its box and ends low: blue in the left third is
    # above blue in the right third
    third = len(rows[0]) // 3
    blue = tuple(bytes.fromhex(BLUE[1:]))
    left = [y for y, row in enumerate(rows) if blue in row[:third]]
    right = [y for y, row in enumerate(rows)
             if blue in row[third * 2:int(len(row) * 0.85)]]
    equal(max(left) < min(right), True, (left, right))


def test_pdf():
    draw(DECAY + 'plot x, y\n', name='a.pdf')
    with open('a.pdf', 'rb') as file:
        data = file.read()
    equal(data[:5], b'%PDF-')
    equal(data.rstrip()[-5:], b'%%EOF')
    equal(len(re.findall(rb'/Type /Page\b', data)), 1)
    contains(data, b'/CreationDate (D:20000101000000')
    width = re.search(rb'/MediaBox \[ *0 0 ([\d.]+)', data)
    # 600 points of the screen, of which 96 make an inch, and 72 of the PDF's
    near(float(width[1]), 450, 30, 'width')
    where = int(re.search(rb'startxref\s+(\d+)', data)[1])
    equal(data[where:where + 4], b'xref')


def test_how_files_are_written():
    write('model.dae', DECAY + 'plot x\n')
    before = os.umask(0o027)
    dae('run', 'model.dae', '-o', 'new.svg', status=0)
    os.umask(before)
    equal(stat.S_IMODE(os.stat('new.svg').st_mode), 0o640)
    os.chmod('new.svg', 0o604)
    os.symlink('new.svg', 'link.svg')
    write('new.svg', 'old')
    out = dae('run', 'model.dae', '-o', 'link.svg', status=0).out
    contains(out, 'link.svg: 1 curve in 1 panel')
    equal(os.path.islink('link.svg'), True)
    equal(stat.S_IMODE(os.stat('new.svg').st_mode), 0o604)
    equal(len(Picture('new.svg').panels), 1)


# ---- when it cannot be drawn ----


def with_gnuplot(script, *words, **more):
    """Runs dae where `gnuplot` is this shell script, or nothing at all."""
    os.makedirs('bin', exist_ok=True)
    if script is not None:
        write('bin/gnuplot', '#!/bin/sh\n' + script)
        os.chmod('bin/gnuplot', 0o755)
    environment = dict(os.environ, PATH=os.path.abspath('bin') + (
        ':/usr/bin:/bin' if script is not None else ''))
    return subprocess.Popen([DAE, *words], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **more)


def check_failure(script, *parts):
    write('model.dae', DECAY + 'plot x\n')
    write('a.svg', 'an old picture')
    process = with_gnuplot(script, 'run', 'model.dae', '-o', 'a.svg', '-o',
                           'a.csv', '-o', 'b.png')
    out, err = process.communicate(timeout=60)
    equal(process.returncode, 5, err)
    for part in ('error[E0006]',) + parts:
        contains(err, part)
    with open('a.svg') as file:
        equal(file.read(), 'an old picture')
    equal([name for name in os.listdir('.') if name.startswith(('a.svg.', 'b'))],
          ['bin'])
    return out


def test_no_gnuplot():
    write('endless.dae', ENDLESS)
    process = with_gnuplot(None, 'run', 'endless.dae', '-o', 'a.svg', '--json')
    out, _ = process.communicate(timeout=10)  # known before the run
    equal(process.returncode, 5)
    contains(out, '"E0006"')
    contains(out, 'gnuplot-nox')
    check_failure(None, 'a.svg', 'apt-get install gnuplot-nox')


def test_gnuplot_fails():
    complaint = 'cat >/dev/null; echo "line 3: no such terminal" >&2;'
    out = check_failure(complaint + 'echo "   ^" >&2; exit 3',
                        'exit status 3: line 3: no such terminal')
    # the numbers are there all the same
    contains(out, 'a.csv: ')
    check_failure('exec 0<&-; exit 7', 'exit status 7')
    check_failure('cat >/dev/null; kill -SEGV $$', 'signal 11')
    check_failure('cat >/dev/null', 'no whole picture')
    check_failure('cat >/dev/null; echo "<?xml a picture cut off"',
                  'no whole picture')
    check_failure('exit 0', 'no whole picture')
    # more than a pipe holds, in both directions at once
    check_failure('yes 0123456789 | head -c 3000000; cat >/dev/null; exit 1',
                  'exit status 1')


def test_what_gnuplot_reads_cannot_be_written():
    write('model.dae', DECAY + 'plot x\n')
    limit = resource.RLIMIT_FSIZE, (100, 100)
    process = with_gnuplot('exit 0', 'run', 'model.dae', '-o', 'a.svg',
                           preexec_fn=lambda: resource.setrlimit(*limit))
    _, err = process.communicate(timeout=60)
    equal(process.returncode, 5, err)
    contains(err, 'error[E0006]: gnuplot failed to draw `a.svg`: no temporary file')
    contains(err, 'File too large')


def wait_for(condition):
    begun = time.monotonic()
    while time.monotonic() - begun < 20:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError('nothing happens')


def is_gone(process_id):
    try:
        with open(f'/proc/{process_id}/stat') as file:
            return file.read().rsplit(')', 1)[1].split()[0] == 'Z'
    except OSError:
        return True


HANGING = 'echo $$ >pid.new; mv pid.new pid; sleep 1000; sleep 1000\n'


def hanging_gnuplot(*words):
    write('model.dae', DECAY + 'plot x\n')
    process = with_gnuplot(HANGING, 'run', 'model.dae', '-o', 'a.svg', *words)
    wait_for(lambda: os.path.exists('pid'))
    with open('pid') as file:
        return process, int(file.read())


def test_interrupted_while_drawing():
    for by, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process, child = hanging_gnuplot()
        process.send_signal(by)
        _, err = process.communicate(timeout=10)
        equal(process.returncode, status, err)
        contains(err, 'E0005')
        wait_for(lambda: is_gone(child))
        equal(sorted(os.listdir('.')), ['bin', 'model.dae', 'pid'])
        os.remove('pid')


def test_time_limit_while_drawing():
    process, child = hanging_gnuplot('--time-limit', '0.5')
    _, err = process.communicate(timeout=10)
    equal(process.returncode, 6, err)
    contains(err, 'E0004')
    wait_for(lambda: is_gone(child))
    equal(sorted(os.listdir('.')), ['bin', 'model.dae', 'pid'])


def test_interrupted_run_is_drawn():
    write('endless.dae', ENDLESS + 'plot x, v\n')
    process = subprocess.Popen([DAE, 'run', 'endless.dae', '-o', 'a.svg', '-o',
                                'a.csv'], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    wait_for(lambda: os.path.exists('a.partial.csv')
             and os.path.getsize('a.partial.csv') > 1000000)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    equal(process.returncode, 130)
    panel, = Picture('a.partial.svg').panels
    equal(len(panel.curves), 2)
    near(max(y for _, y in panel.points(0)), 1, 2e-2, 'largest x')
    near(min(y for _, y in panel.points(1)), -1, 2e-2, 'least v')
    # what one run has kept goes with the next one that is whole
    dae('run', 'endless.dae', '--to', '1', '-o', 'a.svg', status=0)
    equal('a.partial.svg' in os.listdir('.'), False)


def test_second_signal_ends_at_once():
    """What was computed is being drawn, for up to five seconds. Two signals in one
    moment, as `timeout` sends them, are one."""
    write('model.dae', ENDLESS + 'plot x\n')
    process = with_gnuplot(HANGING, 'run', 'model.dae', '-o', 'a.svg', '-o', 'a.csv')
    wait_for(lambda: os.path.exists('a.partial.csv')
             and os.path.getsize('a.partial.csv') > 100000)
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
    wait_for(lambda: os.path.exists('pid'))
    time.sleep(2.2)
    equal(process.poll(), None, 'waits')
    process.send_signal(signal.SIGTERM)
    equal(process.wait(timeout=5), 143)
    contains(process.communicate()[1], 'is kept in `a.partial.csv`')
    equal(sorted(os.listdir('.')), ['a.partial.csv', 'bin', 'model.dae', 'pid'])
    with open('a.partial.csv') as file:
        lines = file.read().split('\n')
    equal((lines[-1], {line.count(',') for line in lines[:-1]}), ('', {2}))


main(globals())
