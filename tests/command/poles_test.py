"""Conditions that jump by themselves, at poles and where a branch of `atan2` ends: they
turn there, once, and what follows is found."""

import math
import random

from support import dae, equal, main, near, write

POLES = '''var x = {phase}, u = 0, over = 0, near = 0, timed = 0
discrete passes = 0, poles = 0
x' = 1
u' = 1
over' = if tan(x) > {level} then 1 else 0
near' = if 1/(u - {pole}) > {steep} then 1 else 0
timed' = if 1/(t - {pole}) > {steep} then 1 else 0
when tan(x) > {level}
  passes := passes + 1
end
when 1/(u - {pole}) > {steep}
  poles := poles + 1
end
solve t in 0..{end}, rtol = {rtol}
'''

ARM = '''var x = {x}, y = {y}, over = 0
discrete ups = 0, downs = 0
x' = -y
y' = x
over' = if atan2(y, x) > {level} then 1 else 0
when atan2(y, x) > {level}
  ups := ups + 1
end
when atan2(y, x) < {level}
  downs := downs + 1
end
solve t in 0..{end}, rtol = {rtol}
'''


def values(text, *words):
    write('m.dae', text)
    return dae('run', 'm.dae', '--json', '--no-times', *words,
               status=0).json['values']


def inside(begin, length, period, phase, end):
    """How long a phase that runs from `phase` for `end` is within [begin, begin +
    length], repeated; and how often it comes there."""
    time, entries = 0, 0
    for k in range(-10, 30):
        lower = begin + k*period - phase
        upper = lower + length
        if upper <= 0 or lower >= end:
            continue
        time += min(upper, end) - max(lower, 0)
        entries += lower > 0
    return time, entries


def test_poles_at_random_phases():
    random.seed(1)
    for _ in range(60):
        rtol = 10**random.uniform(-9, -3)
        phase, end = random.uniform(-3.1, 3.1), random.uniform(5, 20)
        level, pole = random.uniform(0.2, 4), random.uniform(0.5, 4.5)
        steep = random.uniform(0.5, 5)
        v = values(POLES.format(rtol=rtol, phase=phase, end=end, level=level,
                                pole=pole, steep=steep))
        low = math.atan(level)
        time, passes = inside(low, math.pi/2 - low, math.pi, phase, end)
        near(v['over'], time, 1e-8)
        equal(v['passes'], passes)
        near(v['near'], min(end - pole, 1/steep), 1e-8)
        near(v['timed'], min(end - pole, 1/steep), 1e-8)
        equal(v['poles'], 1)


def test_an_arm_that_turns():
    random.seed(2)
    for _ in range(60):
        rtol = 10**random.uniform(-9, -3)
        phase, end = random.uniform(-3, 3), random.uniform(5, 25)
        level = random.uniform(-2.5, 2.5)
        off = max(3e4*rtol, 1e-7)  # of the phase, after some turns
        ends = [(w - phase - end) % (2*math.pi) for w in (level, math.pi)]
        if any(min(e, 2*math.pi - e) < off for e in ends):
            continue
        v = values(ARM.format(rtol=rtol, x=math.cos(phase), y=math.sin(phase),
                              level=level, end=end))
        time, ups = inside(level, math.pi - level, 2*math.pi, phase, end)
        _, downs = inside(-math.pi, level + math.pi, 2*math.pi, phase, end)
        near(v['over'], time, off)
        equal(v['ups'], ups)
        equal(v['downs'], downs)


def test_a_double_pole_is_within():
    v = values('''var x = 0, q = 0
x' = 1
q' = if x/((x - 2)*(x - 2)) > 30 then 1 else 0
solve t in 0..6
''')
    near(v['q'], math.sqrt(121**2 - 4*30*120)/30, 1e-8)


def test_turned_back_at_the_pole():
    for condition in ('x > 2', '1/(x - 2) > 3'):
        v = values(f'''var x = 0, v = 1, q = 0
discrete n = 0
x' = v
v' = 0
q' = if 1/(x - 2) > 3 then 1 else 0
when {condition}
  v := -v
  n := n + 1
end
solve t in 0..5
''')
        near(v['x'], -1, 1e-9)
        near(v['q'], 0, 1e-12)
        equal(v['n'], 1)


def test_a_start_where_the_branch_ends():
    for way, ups, downs in ((1, 4, 4), (-1, 3, 4)):
        v = values(f'''var x = -1, y = 0
discrete ups = 0, downs = 0
x' = -({way})*y
y' = ({way})*x
when atan2(y, x) > 1
  ups := ups + 1
end
when atan2(y, x) <= 1
  downs := downs + 1
end
solve t in 0..25
''')
        equal(v['ups'], ups)
        equal(v['downs'], downs)


def test_a_relay_at_a_pole_chatters():
    write('m.dae', '''var q = 0
q' = if tan(q + 1.5) > 0 then 1 else -1
solve t in 0..10
''')
    r = dae('run', 'm.dae', '--json', status=4)
    equal([d['code'] for d in r.json['diagnostics']], ['E0521'])
    near(r.json['t'], math.pi/2 - 1.5, 1e-9)


main(globals())
