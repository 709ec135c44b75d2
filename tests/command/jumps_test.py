"""Values that jump though nobody assigns them: how a jump is shared follows from the
equations, whatever the tolerances, and is told (W0527)."""

import math

from support import contains, dae, equal, main, near, write

# locked at t = 1; 3 fast + slow stays
CLUTCH = '''var fast = 1, slow = 0, moment
discrete locked = 0
3*fast' = -moment
slow' = moment
clutch: 0 = if locked == 1 then fast - slow else moment
when t > 1
  locked := 1
end
solve t in 0..2
'''

# the first cart meets the other at t = 1 and holds it; m1 v1 + m2 v2 stays
CARTS = '''param m1 = 3, m2 = 1
var x1 = 0, x2 = 2, v1 = 2, v2 = 0, F
discrete hooked = 0
x1' = v1
x2' = v2
m1*v1' = -F
m2*v2' = F
0 = if hooked == 1 then x1 - x2 else F
meet: when x1 > x2
  hooked := 1
end
solve t in 0..2
'''
CARTS_SECOND_ORDER = '''param m1 = 3, m2 = 1
var x1 = 0, x2 = 2, F
init x1' = 2, x2' = 0
discrete hooked = 0
m1*x1'' = -F
m2*x2'' = F
0 = if hooked == 1 then x1 - x2 else F
meet: when x1 > x2
  hooked := 1
end
solve t in 0..2
'''

# two condensers joined at t = 1; C1 u1 + C2 u2 stays
CHARGES = '''param C1 = 2e-6, C2 = 5e-6
var u1 = 3, u2 = -1, i
discrete on = 0
C1*u1' = -i
C2*u2' = i
0 = if on == 1 then u1 - u2 else i
joined: when t > 1
  on := 1
end
solve t in 0..2
'''

# two masses on rods, the upper one meets a wall where it hangs straight down: the
# lower rod passes on what is along it, so the lower mass gets u (u . dv)
RODS = '''param m1 = 1, m2 = 4, g = 9.81
var x1 = 0.6, y1 ~ -0.8, x2 = 0.88, y2 ~ -1.76, F1, F2
init x1' = -3, x2' = 0
m1*x1'' = -F1*x1 + F2*(x2 - x1)
m1*y1'' = -F1*y1 + F2*(y2 - y1) - m1*g
m2*x2'' = -F2*(x2 - x1)
m2*y2'' = -F2*(y2 - y1) - m2*g
x1^2 + y1^2 = 1
(x2 - x1)^2 + (y2 - y1)^2 = 1
discrete ux = 0, uy = 0
wall: when x1 < 0
  x1' := -x1'/2
  ux := x2 - x1
  uy := y2 - y1
end
solve t in 0..0.5
'''

# a carriage with a pendulum, by angle: no constraint is hurt, so what is not assigned
# stays, whatever the masses
CARRIAGE = '''param M = 2, m = 1, l = 0.5, g = 9.81
var x = 0, a = 0.5, F
init x' = 1, a' = 0
m*l*cos(a)*x'' + m*l^2*a'' = -m*g*l*sin(a)
(M + m)*x'' + m*l*cos(a)*a'' = m*l*sin(a)*a'^2 + F
F = -0.1*x'
buffer: when x > 0.4
  x' := 0
end
solve t in 0..0.5
'''


# a condenser is taken from its source to another one, at t = 1: u1 + 2 u2 stays
SWITCHED_OVER = '''var u1 = 1, u2 = 0, i1, i2, z = 0
discrete over = 0
u1' = i1
2*u2' = i2
z' = 1
0 = if over == 1 then u1 - u2 else u1 - 1
0 = if over == 1 then i1 + i2 else i2
when t >= 1
  over := 1
end
solve t in 0..2
'''

# two inductors, the second one shorted until t = 1; i1 + 2 i2 stays
INDUCTORS = '''var i1 = 1, i2 ~ 0, u
discrete on = 0
i1' = u
2*i2' = -u
0 = if on == 1 then i1 - i2 else i2
when t > 1
  on := 1
end
solve t in 0..2
'''

# gears: behind a shift w1 + dw = w, with dw1 = -r M, dw2 = M and w2 = r w1; 1 -> 2
# takes (1, 1) to (0.6, 1.2), 2 -> 1 that to (0.9, 0.9), and the first comes again
GEARS = '''var w1 = 1, w2 ~ 1, M
discrete r = 1
w1' = -r*M
w2' = M
gear: w2 = r*w1
when mod(t, 1) >= 0.5
  r := 3 - r
end
solve t in 0..1
'''

# a rope whose length is one, and from t = 1 grows: v1 + 2 v2 stays, v2 - v1 = 0.3
ROPE = '''var x1 = 0, x2 ~ 1, v1 = 1, v2, T
discrete speed = 0, since = 0
x1' = v1
x2' = v2
v1' = T
2*v2' = -T
rope: x2 - x1 = 1 + speed*(t - since)
when t >= 1
  speed := 0.3
  since := t
end
solve t in 0..2
'''

# a pendulum of length 1 is caught by another pivot where it hangs straight down, and
# the first lets go: what is left is the part across the new rod, (0.6, -0.8)
CAUGHT = '''param g = 9.81, px = 0.8, py = -0.4
var x = -sin(0.5), y ~ -cos(0.5), F
init x' = 0
discrete k = 0
x'' = -F*(x - k*px)
y'' = -F*(y - k*py) - g
rod: (x - k*px)^2 + (y - k*py)^2 = 1
when k == 0 and x > 0
  k := 1
end
solve t in 0..1
'''

def run(text, atol, *words, rtol='1e-9'):
    write('m.dae', text)
    return dae('run', 'm.dae', '--json', '--no-times', '--rtol', rtol, '--atol',
               str(atol), *words, status=0)


def told(result):
    """What W0527 says, or nothing."""
    return ''.join(d['message'] + ' '.join(d.get('notes', []))
                   for d in result.json.get('diagnostics', []) if d['code'] == 'W0527')


def test_masses_share_a_jump():
    for atol in ('1e-3', '1e-6', '1e-9', '1e-13'):
        values = run(CLUTCH, atol).json['values']
        near(values['fast'], 0.75, 1e-9, f'fast at {atol}')
        near(values['slow'], 0.75, 1e-9, f'slow at {atol}')
        values = run(CARTS, atol).json['values']
        near(values['v1'], 1.5, 1e-9, f'v1 at {atol}')
        near(values['x2'], 3.5, 1e-6 + float(atol), f'x2 at {atol}')
        values = run(CARTS_SECOND_ORDER, atol).json
        near(values['derivatives']["x2'"], 1.5, 1e-9, f"x2' at {atol}")
        values = run(CHARGES, atol).json['values']
        near(values['u1'], 1/7, 1e-9, f'u1 at {atol}')


def test_units_do_not_matter():
    """The same clutch with inertias from 1e-9 to 1e9, and one of them alone."""
    for factor in (1e-9, 1e-4, 1e4, 1e9):
        text = CLUTCH.replace('3*fast', f'{3*factor}*fast')
        both = text.replace("slow' =", f"{factor}*slow' =")
        near(run(both, '1e-6').json['values']['fast'], 0.75, 1e-9, f'{factor}')
        near(run(text, '1e-6').json['values']['slow'],
             3*factor/(3*factor + 1), 1e-9, f'{factor}')


def test_an_assigned_value_is_a_blow_of_its_own():
    for atol in ('1e-6', '1e-9', '1e-12'):
        hit = run(RODS, atol).json['events'][0]
        before, after = hit['before'], hit['after']
        blow = after["x1'"] - before["x1'"]
        ux, uy = after['ux'], after['uy']
        near(math.hypot(ux, uy), 1, 1e-6)
        near(after["x1'"], -before["x1'"]/2, 1e-12)
        near(after["x2'"], before["x2'"] + ux*ux*blow, 1e-7, f"x2' at {atol}")
        near(after["y2'"], before["y2'"] + ux*uy*blow, 1e-7, f"y2' at {atol}")


def test_what_is_no_state_of_the_reduced_equations_bounces():
    """x1 follows from the lower mass there; v halves with each bounce, and the rods lead
    back, so no bounce is lost before it drowns in tolerances."""
    document = run(RODS.replace('0..0.5', '0..1'), '1e-12').json
    hits = [e for e in document['events'] if e['t'] < 0.7055]
    equal({e['label'] for e in hits}, {'wall'})
    for first, second in zip(hits, hits[1:]):
        equal(second['t'] > first['t'], True)
    told = [d['message'] for d in document['diagnostics'] if d['code'] == 'W0528']
    equal([m for m in told if 't = 0.706' not in m], [])


def test_ways_of_reduction():
    """Locked from 1 to 2 with friction on one wheel: the index is 1, 2, 1, whatever is
    done about it. Charge that is carried in portions, seven times."""
    text = '''var a = 1, b = 0, m
discrete lock = 0
3*a' = -m - 0.4*a
b' = m
0 = if lock == 1 then a - b else m
when t >= 1
  lock := 1
end
when t >= 2
  lock := 0
end
solve t in 0..3
'''
    portions = '''var u = 1, v = 0, i
discrete on = 0
2*u' = -i
5*v' = i
0 = if on == 1 then u - v else i
when mod(t, 1) >= 0.5
  on := 1
end
when mod(t, 1) < 0.5
  on := 0
  u := 1
end
solve t in 0..6.7
'''
    both = math.exp(-0.4/3)*3/4*math.exp(-0.1)
    charge = 0
    for _ in range(7):
        charge = (2 + 5*charge)/7
    for way in ('auto', 'project', 'stabilize'):
        values = run(text, '1e-9', '--reduce', way).json['values']
        near(values['a'], both*math.exp(-0.4/3), 1e-7, f'a by {way}')
        near(values['b'], both, 1e-7, f'b by {way}')
        values = run(portions, '1e-9', '--reduce', way).json['values']
        near(values['v'], charge, 1e-7, f'v by {way}')


def prefer(text, name, guess):
    """With a wish which unknown is to be a state: the result is the same."""
    return text.replace(f'{name} {guess}', f'{name} {guess} {{state=1}}', 1)


def test_between_two_modes_of_higher_index():
    """The states at hand may stay such: that is no reason for them to be the values
    that stay. Charge, current, momentum, by whatever way."""
    for way in ('auto', 'project', 'stabilize'):
        for chosen in ('u1 = 1', 'u2 = 0'):
            text = prefer(SWITCHED_OVER, *chosen.split(' ', 1))
            for more in ('', '  z := 0\n'):
                result = run(text.replace('end', more + 'end'), '1e-9',
                             '--reduce', way)
                near(result.json['values']['u1'], 1/3, 1e-8, f'u1 by {way}')
                near(result.json['values']['z'], 1 if more else 2, 1e-8)
                contains(told(result), '`u1` from 1 to 0.333333, '
                         '`u2` from 0 to 0.333333')
        for chosen in ('i1 = 1', 'i2 ~ 0'):
            text = prefer(INDUCTORS, *chosen.split(' ', 1))
            result = run(text, '1e-9', '--reduce', way)
            near(result.json['values']['i2'], 1/3, 1e-8, f'i2 by {way}')
            contains(told(result), '`i1` from 1 to 0.333333')
        for chosen in ('w1 = 1', 'w2 ~ 1'):
            for end, w1, w2 in ((1, 0.6, 1.2), (2, 0.9, 0.9), (3, 0.54, 1.08)):
                text = prefer(GEARS, *chosen.split(' ', 1))
                result = run(text.replace('0..1', f'0..{end}'), '1e-9',
                             '--reduce', way)
                near(result.json['values']['w1'], w1, 1e-8, f'w1 by {way}')
                near(result.json['values']['w2'], w2, 1e-8, f'w2 by {way}')


def test_many_small_jumps():
    """Each of some tolerances or less, a thousand of them: they are shared like large
    ones, so that none of the two speeds is the one that stays."""
    for chosen in ('w1 = 1', 'w2 ~ 1'):
        text = prefer(GEARS, *chosen.split(' ', 1))
        text = text.replace('mod(t, 1) >= 0.5', 'mod(t, 0.001) >= 0.0005')
        text = text.replace('3 - r', 'r + 1e-4')
        w1 = w2 = r = 1
        for _ in range(1000):
            r += 1e-4
            moment = (r*w1 - w2)/(1 + r*r)
            w1, w2 = w1 - r*moment, w2 + moment
        for rtol in ('1e-2', '1e-3', '1e-4', '1e-5', '1e-7'):
            values = run(text, rtol, rtol=rtol).json['values']
            near(values['w1'], w1, 1e-7, f'w1 at {rtol}')
            near(values['w2'], w2, 1e-7, f'w2 at {rtol}')


def test_constraints_that_move_apart_later():
    """The new length is the old one at the instant itself: speeds jump all the same."""
    for way in ('auto', 'project', 'stabilize'):
        result = run(ROPE, '1e-9', '--reduce', way)
        near(result.json['values']['v1'], 0.8, 1e-8, f'v1 by {way}')
        near(result.json['values']['v2'], 1.1, 1e-8, f'v2 by {way}')
        near(result.json['values']['x2'], 3.1, 1e-8, f'x2 by {way}')
        contains(told(result), '`v1` from 1 to 0.8')


def test_from_one_pivot_to_another():
    """Energy of the height it began at is left in part: 0.6^2 of it."""
    energy = 9.81*(0.36*(1 - math.cos(0.5)) - 1)
    for way in ('auto', 'project', 'stabilize'):
        for chosen in ('x = -sin(0.5)', 'y ~ -cos(0.5)'):
            text = prefer(CAUGHT, *chosen.split(' ', 1))
            result = run(text, '1e-11', '--reduce', way)
            v, speed = result.json['values'], result.json['derivatives']
            kinetic = (speed["x'"]**2 + speed["y'"]**2)/2
            near(kinetic + 9.81*v['y'], energy, 1e-6, f'energy by {way}')
            contains(told(result), "`x'` from 1.54978 to 0.557922")


def test_units_of_rest():
    """A diode that conducts by x - u = 0, and a ball that comes to rest at 3 times its
    first fall, in any units of length and time."""
    for size in (1e-6, 1, 1e6):
        for time in (1e-6, 1, 1e6):
            for rtol in ('1e-3', '1e-8'):
                diode = f'''var x = 0, w = {size}, u = 0, i
discrete on = 0
x' = w/{time}
w' = -x/{time}
u' = i - u/{time}
0 = if on == 1 then x - u else i
starts: when on == 0 and x > u
  on := 1
end
ends: when on == 1 and i < 0
  on := 0
end
solve t in 0..{12*time}
'''
                ball = f'''var h = {size}, v = 0
h' = v
v' = -{2*size/time**2}
when h < 0
  v := -v/2
end
solve t in 0..{3.2*time}
'''
                atol = str(float(rtol)*size*min(1, 1/time))
                document = run(diode, atol, rtol=rtol).json
                found = [e for e in document['events'] if e['kind'] == 'when']
                equal([e['label'] for e in found], ['starts', 'ends']*2)
                near(found[-1]['t']/time, 2.75*math.pi, 1e3*float(rtol))
                write('m.dae', ball)
                words = ('--rtol', rtol, '--atol', atol)
                contains(dae('run', 'm.dae', *words, status=4).err, 'E0520')


def test_what_jumps_is_told():
    text = told(run(CLUTCH, '1e-3'))
    contains(text, '`fast` from 1 to 0.75, `slow` from 0 to 0.75')
    contains(text, 'assign `fast := ...`')
    contains(told(run(RODS, '1e-6')), "`y2'` from")


def test_what_follows_is_not_told():
    """A pendulum with one freedom: the wall gives x', the rod y'."""
    text = '''var x = 1, y = 0, F
init x' = 0
x'' = -F*x
y'' = -F*y - 10
rod: x^2 + y^2 = 1
hit: when x < 0.6
  x' := -x'/2
end
solve t in 0..1
'''
    equal(told(run(text, '1e-9')), '')
    result = run(CARRIAGE, '1e-9')
    equal(told(result), '')
    equal("a'" in result.json['events'][0]['after'], False)


def test_assigned_values_stay():
    """All that jumps is assigned: the angular momentum by hand, nothing is told."""
    text = CLUTCH.replace('  locked := 1\n', '  locked := 1\n'
                          '  fast := (3*fast + slow)/4\n'
                          '  slow := (3*fast + slow)/4\n')
    result = run(text, '1e-9')
    equal(told(result), '')
    near(result.json['values']['fast'], 0.75, 1e-12)


TIED = '''param C1 = 1, C2 = 2, R = 10
var V1 = 1, V2, i1, i2
C1*V1' = i1
C2*V2' = i2
tie: V1 = V2
i1 + i2 = -V1/R
kick: when t > 1
  V1 := V1 + 0.5
  V2 := %s
end
solve t in 0..3
'''


def test_two_changes_of_what_is_tied():
    """A note says that they are one; a value that does not look at the one before is none."""
    for second, is_noted in (('V2 + 0.5', True), ('exp(-1/30) + 0.5', False)):
        result = run(TIED % second, '1e-9')
        codes = [d['code'] for d in result.json.get('diagnostics', [])]
        equal('N0530' in codes, is_noted, second)
        # (C1 + C2) V' = -V/R, with V + 0.5 at t = 1
        near(result.json['values']['V2'],
             (math.exp(-1/30) + 0.5)*math.exp(-2/30), 1e-7, second)


# index 1, and the matrix of slopes is singular: u1 + 3 u2 is what is integrated
WIRED = '''var u1 = 0.1, u2 ~ 0.1
discrete n = 1
wire: u1 = n*u2
kirchhoff: u1' + 3*u2' = 0.1 - u1
dump: when t >= 1
  %s
end
solve t in 0..3
'''
GEAR = '''param n = 2, J1 = 1, J2 = 3
var w1 = 0, w2 ~ 0
gear: w1 = n*w2
J1*w1' + J2*w2'/n = 3 - w1
stop: when t >= 1
  w2 := 0
end
solve t in 0..3
'''
# a coupling of 1: the numbers alone show the constraint 2*(u - i1) + 50*i2 = 0
COUPLED = '''var i1 = 0, i2 ~ 0
discrete u = 1
0.1*i1' + 0.2*i2' = u - i1
0.2*i1' + 0.4*i2' = -50*i2
flip: when t >= 1
  u := -1
  i1 := 0
end
solve t in 0..1.5
'''


def test_slopes_that_are_tied():
    """What is assigned, in any way of reduction, where the index is 1 by an equation between
    unknowns whose slopes stand in another one; and what nobody assigns, by its charge."""
    emptied = 0.1*(1 - math.exp(-0.5))
    # u1 = 2 u2 from then on: 5 u2 is what u1 + 3 u2 = 0.4 was, 5 u2' = 0.1 - 2 u2
    shifted = 0.05 + (0.08 - 0.05)*math.exp(-0.8)
    for way in ('auto', 'project', 'stabilize', 'never'):
        for by, u2, is_told in (('u1 := 0\n  u2 := 0', emptied, False),
                                ('u1 := 0', emptied, False),
                                ('u2 := 0', emptied, False),
                                ('u1 := u1', 0.1, False),
                                ('n := 2', shifted, True)):
            result = run(WIRED % by, '1e-12', '--reduce', way)
            near(result.json['values']['u2'], u2, 1e-8, f'u2 by {way}, {by}')
            equal(told(result) != '', is_told, f'{way}, {by}')
        values = run(GEAR, '1e-12', '--reduce', way).json['values']
        near(values['w2'], 1.5*(1 - math.exp(-2/1.75)), 1e-7, f'w2 by {way}')


def test_slopes_that_numbers_tie():
    """From i1 = 0, i2 = 0.04 on 0.108 i1' = -1 - i1. With nothing assigned the flux
    0.1 i1 + 0.2 i2 decides, which is not found: then no other answer is given."""
    result = run(COUPLED, '1e-12')
    equal(told(result), '')
    near(result.json['values']['i1'], math.exp(-0.5/0.108) - 1, 1e-7)
    near(result.json['values']['i2'], math.exp(-0.5/0.108)/25, 1e-8)
    write('m.dae', COUPLED.replace('  i1 := 0\n', ''))
    contains(dae('run', 'm.dae', status=4).err, 'E0525')


def test_contradicting_values_of_what_is_tied():
    write('m.dae', WIRED % 'u1 := 0\n  u2 := 1')
    contains(dae('run', 'm.dae', status=4).err, 'E0525')


LOADED = '''param R1 = 0.5, R = 20
discrete on = 0
var i1 = 0, i2, v1, v2
v1 = i1' - 2*i2'
{second}
v1 = 10 - R1*i1
(if on == 1 then v2 - R*i2 else i2) = 0
when t > 1
  on := 1
end
solve t in 0..2
'''


def test_the_flux_of_a_transformer_stays_or_nothing_is_said():
    """i1 - 2 i2 stays and 2 (10 - i1/2) = 20 i2 holds: i1 = (2 + 20 (1 - exp(-1/2)))/1.1. Where only
    numbers show that the coils have one flux no other answer is given."""
    after = (2 + 20*(1 - math.exp(-0.5)))/1.1
    for tolerance in ('1e-4', '1e-7', '1e-10'):
        words = ('--json', '--rtol', tolerance, '--atol', str(float(tolerance)/100))
        write('m.dae', LOADED.format(second='v2 = 2*v1'))
        event, = dae('run', 'm.dae', *words, status=0).json['events']
        near(event['after']['i1'], after, 100*float(tolerance))
        near(event['after']['i2'], 1 - after/20, 100*float(tolerance))
        write('m.dae', LOADED.format(second="v2 = 2*i1' - 4*i2'"))
        told = dae('run', 'm.dae', *words, status=4).json
        equal([d['code'] for d in told['diagnostics']], ['E0525'])


main(globals())
