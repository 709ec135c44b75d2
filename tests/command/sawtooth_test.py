"""Whole numbers, remainders and what is made of them, at small and large values: q is
an integral of a periodic function along a straight line, known in closed form."""

import math
import random

from support import SHARE, dae, equal, main, near, write


def values(text):
    write('m.dae', text)
    return dae('run', 'm.dae', '--json', '--no-times', status=0).json['values']


def square(z):
    """The integral from 0 to z of `1 where mod(z, 1) < 0.5`."""
    return 0.5*math.floor(z) + min(z - math.floor(z), 0.5)


def triangle(z):
    """The integral from 0 to z of abs(mod(z, 2) - 1)."""
    r = z - 2*math.floor(z/2)
    return math.floor(z/2) + (r - r*r/2 if r < 1 else 0.5 + (r - 1)**2/2)


def remainder(z):
    """The integral from 0 to z of mod(z, 1)."""
    return 0.5*math.floor(z) + (z - math.floor(z))**2/2


FORMS = {
    'if mod(p, 1) < 0.5 then 1 else 0': square,
    'abs(mod(p, 2) - 1)': triangle,
    'mod(p, 1)': remainder,
}


def test_waves_of_a_phase():
    random.seed(3)
    for k in range(120 if SHARE == 1 else 30):
        text, integral = list(FORMS.items())[k % len(FORMS)]
        start = round(10**random.uniform(0, 8))
        start += random.choice([0, 0.5, random.random()])
        rate, rtol = 10**random.uniform(-1, 1.3), 10**random.uniform(-9, -3)
        v = values(f'''var p = {start!r}, q = 0
p' = {rate!r}
q' = {text}
solve t in 0..10, rtol = {rtol!r}
''')
        begin = math.fmod(start, 2)
        wanted = (integral(begin + 10*rate) - integral(begin))/rate
        near(v['p'], start + 10*rate, 1e-6*start*rtol + 1e-6)
        near(v['q'], wanted, 1e-5 + 100*rtol)


def test_large_values_are_as_exact_as_their_slope():
    # the tolerance of p is 1, and p is exact
    v = values('''var p = 1e6, q = 0
p' = 10
q' = if mod(p, 1) < 0.5 then 1 else 0
solve t in 0..10
''')
    near(v['q'], 5, 1e-6)


def test_what_turns_where_another_jumps_is_no_kink():
    # abs turns at a jump of mod: the slope behind it is 1, as before
    write('m.dae', '''var p = 216, q = 0
p' = 4
q' = abs(mod(p, 2) - 1)
solve t in 0..0.9
''')
    found = dae('run', 'm.dae', '--json', '--no-times', status=0).json
    equal([e for e in found['events'] if e['after'].get("q'", 1) < 0], [])
    near(found['derivatives']["q'"], 0.6, 1e-9)


main(globals())
