"""Bounds that move, bodies that leave them, values that are assigned against them, and
networks of pieces whose source jumps: the mode that is there is found.

    bounds_test.py DAE ROOT
"""
import math

from support import contains, dae, equal, main, near, write

TOLERANCES = '1e-3', '1e-5', '1e-7', '1e-9'


def values_of(text, rtol):
    write('m.dae', text)
    document = dae('run', 'm.dae', '--json', '--no-times', '--rtol', rtol, '--atol',
                   str(float(rtol)/100), status=0).json
    return document['values']


# what lies on a bound stays where it is as the bound moves away, and is met by it later
MOVED = (
    ('input ps = if t < 2 then 1 else 3\nvar p = 0, q\np\' = 1 - q\nmin(q, ps - p) = 0\n',
     3, 'p', 2.0),                                     # 1 + (t - 2), 3 from t = 4 on
    ('input ps = if t < 2 then 1 else 3\nvar p = 0, q\np\' = 1 - q\nmin(q, ps - p) = 0\n',
     5, 'p', 3.0),
    ('input e = if t < 1 then 1 else -1\nvar u = 1, d\nu\' = d - 0.1*u\nmin(d, u - e) = 0\n',
     2, 'u', math.exp(-0.1)),                          # a diode does not discharge it
    ('input b = if t < 1 then 1 else 2\nvar v = 1, F\nv\' = F\n'
     'min(max(v - b, F - 0.5), F + 0.5) = 0\n',
     2, 'v', 1.5),                                     # Coulomb's force is not infinite
    ('discrete h = 0.5\nvar y = 0.5, v = 0, N\ny\' = v\nv\' = N - 10\nmin(N, y - h) = 0\n'
     'when t > 0.5\n  h := 0\nend\n',
     0.75, 'y', 0.5 - 5*0.25**2),                      # free fall
)


def test_a_bound_that_moves_away():
    for text, end, name, value in MOVED:
        for rtol in TOLERANCES:
            found = values_of(text + f'solve t in 0..{end}\n', rtol)[name]
            near(found, value, 100*float(rtol), (name, end, rtol))


# v := 4 of what lies on a table, and so on: another mode holds with it
KICKED = (
    ('var y = 0, v = 0, N ~ 10\ny\' = v\nv\' = N - 10\nmin(N, y) = 0\n'
     'when t > 0.5\n  v := 4\nend\n', 1, 'y', 4*0.5 - 5*0.25),
    ('var u = 1, d\ninput e = 1\nu\' = d - 0.1*u\nmin(d, u - e) = 0\n'
     'when t > 0.5\n  u := 2\nend\n', 2.5, 'u', 2*math.exp(-0.2)),
    ('var p = 0, q\np\' = 1 - q\nmin(q, 1 - p) = 0\nwhen t > 2\n  p := 0.2\nend\n',
     2.5, 'p', 0.7),
)


def test_a_value_that_is_assigned_against_a_bound():
    for text, end, name, value in KICKED:
        for rtol in TOLERANCES:
            found = values_of(text + f'solve t in 0..{end}\n', rtol)[name]
            near(found, value, 100*float(rtol), (name, rtol))


WALL = ("var x = 0, v = 0, N\nx' = v\nv' = 2*sin(1.3*t) - x + N\nmin(N, x + 0.5) = 0\n"
        'solve t in 0..9\n')


def test_a_body_leaves_its_wall():
    """At the wall at t = 9: N is what holds it there. It has left it once before."""
    for k in range(25):
        rtol = repr(10**(-3 - k/4))
        values = values_of(WALL, rtol)
        near(values['x'], -0.5, 1e-12, rtol)
        near(values['N'], -0.5 - 2*math.sin(1.3*9), 1e-9, rtol)


def diode(v):
    return v/1000 + (5*(v - 0.3)**2 if v > 0.3 else 0)


def zero_of(f, low, high):
    """Of an increasing function."""
    for _ in range(200):
        middle = (low + high)/2
        if f(middle) > 0:
            high = middle
        else:
            low = middle
    return low


def test_a_network_of_pieces_whose_source_jumps():
    """0.5 u1 = dio(u2 - u1), u2 = dio(e - u2) - dio(u2 - u1) - dio(u2 - e): Newton's method in
    the branch at hand ends at the other root of its parabola."""
    def inner(u2):
        return zero_of(lambda u1: 0.5*u1 - diode(u2 - u1), -10, 10)

    u2 = zero_of(lambda u: u - diode(4 - u) + diode(u - inner(u)) + diode(u - 4), -10, 10)
    for rtol in TOLERANCES:
        values = values_of(
            'fun dio(v) = v/1000 + (if v > 0.3 then 5*(v - 0.3)^2 else 0)\n'
            'input e = if t < 1 then -2 else 4\nvar u1, u2\n0.5*u1 = dio(u2 - u1)\n'
            'u2 = dio(e - u2) - dio(u2 - u1) - dio(u2 - e)\nsolve t in 0..2\n', rtol)
        near(values['u2'], u2, 10*float(rtol), rtol)
        near(values['u1'], inner(u2), 10*float(rtol), rtol)


def test_a_jacobian_of_a_bound_is_none_of_elsewhere():
    """Base is added to acid: H + b = Kw/H, whose Jacobian at the bound is 1e18 and 1 elsewhere. By
    one of the bound corrections were as good as nothing, whatever the equation was off by."""
    write('m.dae', 'param Kw = 1e-14\nvar b = -0.1, H ~ 0.1 {min = 1e-16}\n'
          "b' = 0.01\nH + b = Kw/H\nsolve t in 0..20\n")
    for rtol, atol in (('1e-6', '1e-4'), ('1e-8', '1e-4'), ('1e-4', '1e-4'), ('1e-6', '1e-6')):
        values = dae('run', 'm.dae', '--json', '--method', 'bdf', '--rtol', rtol, '--atol', atol,
                     status=0).json['values']
        near(values['H'], (-0.1 + math.sqrt(0.01 + 4e-14)) / 2, float(atol), f'{rtol} {atol}')


def test_a_tank_that_has_run_dry_takes_few_steps():
    # h = (1 - t/10)^2 until t = 10, and then 0, where its slope by h is infinite
    write('m.dae', 'var h = 1 {min = 0}\nh\' = -0.2*sqrt(h)\nsolve t in 0..100\n'
          'expect h ~ 0.25 within 1e-3 at 5\nexpect h ~ 0 within 1e-6 final\n')
    for rtol in ('1e-4', '1e-6', '1e-7', '1e-9'):
        for method in ('bdf', 'radau'):
            dae('run', 'm.dae', '--method', method, '--rtol', rtol, '--atol', rtol,
                '--max-steps', '300', status=0)


def test_two_bounds_that_hold_at_the_start():
    """Each alone is found by its block; together no guess says which branch is meant."""
    for order in ('min(a, v) = 0\nmin(b, w) = 0\n', 'min(w, b) = 0\nmin(v, a) = 0\n'):
        for guess in ('v, w', 'v ~ 1, w', 'v, w ~ 1', 'v ~ -1, w ~ -1'):
            values = values_of(f"var a = 0, b = 0, {guess}\na' = -1 - a + v\n"
                               f"b' = -2 - b + w\n{order}solve t in 0..1\n", '1e-6')
            near(values['v'], 1, 1e-9, (order, guess))
            near(values['w'], 2, 1e-9, (order, guess))


def test_what_contradicts_in_every_mode():
    write('m.dae', 'var x = 1, y, l\nx\' = -x + l\ny\' = -l\ny = 2*x\nwhen t > 1\n  x := 0.1\nend\n'
          'when t > 1\n  y := 0.4\nend\nsolve t in 0..2\n')
    message = dae('run', 'm.dae', status=4).err
    equal('E0525' in message, True)
    equal('no mode that was tried has a solution with it' in message, True)


def test_the_equation_of_what_comes_to_its_bound_is_blamed():
    """Not one that only reads it, however large its factor."""
    write('m.dae', "param A = 1\nvar h = 1 {min = 0}, p, F, cost = 0\nlevel: A*h' = -0.5\n"
          "press: p = 9810*h\nforce: F = p*A\nmoney: cost' = 3*h\nsolve t in 0..5\n")
    text = dae('run', 'm.dae', status=4).err
    contains(text, '`h` has come to its bound (min = 0) at t = 2')
    contains(text, ', and `level` pushes it out')
    contains(text, 'help: a bound only keeps values out, it does not hold the solution there: '
             'change `level` so that `h` stays inside, end before, or drop the bound where the '
             'equations hold beyond it')
    dae('run', 'm.dae', '--to', '1.99', status=0)
    write('m.dae', "var c = 1 {min = 1e-9}, mu\nc' = -1\nmu = log(c)\nsolve t in 0..2\n")
    contains(dae('run', 'm.dae', status=4).err, 'and `L2` pushes it out')


main(globals())
