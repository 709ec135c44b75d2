"""One judgement of a start: `dae check`, `dae init` and `dae run` show the same
values, the same warnings, and end with the same kind of status. What is right
follows by hand, as the comments say."""

import math

from support import dae, equal, main, near, write

# the kinds of messages that are about the start or the equations
SHARED = ('E03', 'E04', 'W03', 'W04', 'N04')


def judgement(command, text, *options):
    write('m.dae', text)
    # a run ends at once: its start alone is of interest
    more = ['--to', '1e-9'] if command == 'run' else []
    r = dae(command, 'm.dae', '--json', '--no-times', *more, *options)
    codes = [d['code'] for d in r.json.get('diagnostics', [])
             if d['code'].startswith(SHARED)]
    return r, sorted(codes)


def check_alike(text, codes, values, status=0, derivatives=None):
    """`values`: at the start, after all three commands."""
    for command in ('check', 'init', 'run'):
        r, found = judgement(command, text)
        equal(found, sorted(codes), command)
        if r.status != status:
            raise AssertionError(f'{command} ends with {r.status}\n{r.err}')
        if status or command == 'run':
            continue
        start = r.json['initial'] if command == 'check' else r.json
        for name, value in values.items():
            near(start['values'][name], value, 1e-6)
        for name, value in (derivatives or {}).items():
            near(start['derivatives'][name], value, 1e-6)


def test_a_mass_of_zero():
    # x2 = x1/2, so x1'' = -4*(x1 - x2) = -2*x1
    text = ("param m1 = 1, m2 = 0, k = 4\nvar x1 = 1, x2 ~ 0.3, v1 = 0\n"
            "x1' = v1\nm1*v1' = -k*(x1 - x2)\nm2*x2'' = k*(x1 - x2) - k*x2\n"
            "solve t in 0..1, rtol = 1e-8\n")
    check_alike(text, [], {'x1': 1, 'x2': 0.5, 'v1': 0},
                derivatives={"v1'": -2, "x2''": -1})
    write('m.dae', text)
    near(dae('run', 'm.dae', '--json', status=0).json['values']['x1'],
         math.cos(math.sqrt(2)), 1e-6)


def test_masses_of_zero_in_an_array():
    # 0 = k - 4*(x[k] - sin(t))
    text = ("param n = 3, m = 0\nvar x[n]\n"
            "m*x[k]'' = k - 4*(x[k] - sin(t)) for k in 1..n\n"
            "solve t in 0..1, rtol = 1e-8\n")
    check_alike(text, [], {'x[1]': 0.25, 'x[3]': 0.75},
                derivatives={"x[2]'": 1, "x[2]''": 0})
    write('m.dae', text)
    near(dae('run', 'm.dae', '--json', status=0).json['values']['x[2]'],
         0.5 + math.sin(1), 1e-6)


def test_the_derivative_of_what_has_no_rate():
    # 0 = -z - x differentiated: z' = -x' = -z = 1
    text = ("param eps = 0\nvar x = 1, z ~ 0\nx' = z\neps*z' = -z - x\n"
            "output d = z'\nsolve t in 0..1\nexpect d ~ 1 within 1e-6 at 0\n")
    check_alike(text, [], {'z': -1}, derivatives={"z'": 1})
    write('m.dae', text)
    dae('run', 'm.dae', status=0)


def test_rows_times_what_is_never_zero():
    # x2 = sin(t) + 2*t, x3 = x2 + t^2, x1 = 2 + cos(t) + t^2
    text = ("var x1, x2, x3\n2*x2' + x2 - 2*x3' + x3 = 2*sin(t) + t^2\n"
            "(1+x1^2)*(x1 + 3*x2' + 2*x2 - 4*x3' + 2*x3 - 3*t^2 - 4*sin(t)) = 0\n"
            "x1 + 4*x2' + 3*x2 - 5*x3' + 2*x3 = 3*t^2 + 5*sin(t)\n"
            "solve t in 0..1, rtol = 1e-7\n")
    check_alike(text, [], {'x1': 3, 'x2': 0, 'x3': 0})
    write('m.dae', text)
    near(dae('run', 'm.dae', '--json', status=0).json['values']['x1'],
         3 + math.cos(1), 1e-5)
    # z = x4 - x2 = cos(2*t), and x3 = 3*cos(2*t) - 2*z' - 2*z is 1 at the start; x1 is free
    text = ("var x1 = -1, x2, x3, x4\n"
            "(1+x1^2)*(-2*x2' - 2*x2 + x3 + 2*x4' + 2*x4 - 3*cos(2*t)) = 0\n"
            "x1' - 2*x2' + 2*x2 + x3 + 2*x4' - 2*x4 = t^2 - cos(2*t)\n"
            "-x2 + x4 = cos(2*t)\n"
            "(1+x1^2)*(-4*x2' + x2 + x3' + 2*x3 + 4*x4' - exp(-t) - 2*cos(2*t)) = 0\n"
            "solve t in 0..1, rtol = 1e-7\n")
    check_alike(text, [], {'x1': -1, 'x3': 1})


def test_rows_mixed_by_an_unknown():
    # with a, b, c for the third row, the fourth and the rest of the second, each of
    # which is 0: x5 = t^2, x1 - x2' = cos(2*t), x2 + x3' = exp(-t), x4 = 0
    a = "(4*x1 - 4*x2' - 2*x2 - 2*x3' - x5 - 4*cos(2*t) + 2*exp(-t) + t^2)"
    b = ("(-8*x1 + 8*x2' + 4*x2 + 4*x3' + x3 + x4' + 2*x5 + 8*cos(2*t)"
         " - 5*exp(-t) - 2*t^2)")
    text = ("var x1, x2, x3, x4, x5\n"
            "-x1 + x2' + x2 + x3' - x5 = -cos(2*t) + exp(-t) - t^2\n"
            f"1000*(x3 + x4' + x4 - exp(-t)) + x1*({b} + x1*{a}) = 0\n"
            f"{a} = 0\n{b} + x1*{a} = 0\n"
            "3*x1 - 3*x2' - 2*x2 - 2*x3' = 3*cos(2*t) - 2*exp(-t)\n"
            "solve t in 0..1, rtol = 1e-7, atol = 1e-9\n")
    check_alike(text, ['W0306'], {'x1': -1, 'x2': 2, 'x3': 1, 'x4': 0, 'x5': 0})
    write('m.dae', text)
    r = dae('run', 'm.dae', '--json', status=0).json['values']
    near(r['x1'], math.cos(2) - 2*math.exp(-1), 1e-4)
    near(r['x5'], 1, 1e-4)


def test_a_turning_point_is_told_by_all():
    # th' = 0 solves th'^2 = 0 there, not to first order
    text = ("var th = 1\nth'^2 = 2*(cos(th) - cos(1))\nsolve t in 0..1\n")
    check_alike(text, ['W0306'], {'th': 1}, derivatives={"th'": 0})


def test_a_kink_at_the_start_is_told_by_all():
    # q*abs(q) = 0 has the derivative 0 at q = 0: the search leaves no certain digit of
    # q, and homotopy finds it
    text = ("var p[2] = 1e5, q ~ 1e-3\np[1] - p[2] = 1e9*q*abs(q)\n"
            "p[k]' = 0 for k in 1..2\nsolve t in 0..1\n")
    for command in ('check', 'init', 'run'):
        equal(judgement(command, text)[1], ['N0410', 'W0306'], command)


def test_strict_makes_errors_of_both():
    turning = "var th = 1\nth'^2 = 2*(cos(th) - cos(1))\nsolve t in 0..1\n"
    for command in ('check', 'init', 'run'):
        r, codes = judgement(command, turning, '--strict')
        equal(codes, ['W0306'], command)
        equal(r.status, 1, command)
        equal(r.json.get('diagnostics', [])[0]['severity'], 'error')


def test_equations_that_are_wrong_are_so_for_all():
    # x = 1 and x = 2 by two equations, whatever is given
    text = ("var x ~ 1, y = 1, z ~ 0\nx + z = 1\nx + z = 2\ny' = -y\n"
            "solve t in 0..1\n")
    check_alike(text, ['E0304'], {}, status=3)


def test_a_parameter_that_takes_an_equation_away():
    # with a = 0 nothing determines z
    text = ("param a = 0\nvar x = 1, z ~ 0\nx' = -x\na*z = x - 1\n"
            "solve t in 0..1\n")
    check_alike(text, ['E0302'], {}, status=3)


def test_a_guess_outside_the_domain():
    # q = 1 asks for h = 1; there is no path from where sqrt has no value
    text = "var h ~ %g, q = 1\nh' = -q\nq = sqrt(h)\nsolve t in 0..1\n"
    for command in ('check', 'init', 'run'):
        equal(judgement(command, text % -1)[1], ['E0403'], command)
    check_alike(text % 3, [], {'h': 1, 'q': 1}, derivatives={"h'": -1})


def test_of_two_roots_all_take_one():
    # x'' = -4 needs lam = 20/3 and x' = +-3.0478, y = 0.8
    text = ("var x = .6, y ~ -.8, lam\nx'' = -lam*x\ny'' = -lam*y - 9.81\n"
            "rod: x^2 + y^2 = 1\ninit x'' = -4\nsolve t in 0..1\n")
    found = {}
    for command in ('check', 'init'):
        r, codes = judgement(command, text)
        start = r.json['initial'] if command == 'check' else r.json
        found[command] = start['derivatives']["x'"]
        near(abs(found[command]), 3.047849515, 1e-6)
        equal(codes, [], command)
    equal(found['check'], found['init'])
    equal(judgement('run', text)[1], [], 'run')


def test_a_stated_guess_chooses_the_root():
    text = ("var x = .6, y ~ .7, lam\nx'' = -lam*x\ny'' = -lam*y - 9.81\n"
            "rod: x^2 + y^2 = 1\ninit x'' = -4, x' ~ %g\nsolve t in 0..1\n")
    for guess in (-3, -0.5, 0.5, 3):
        check_alike(text % guess, [], {'x': 0.6, 'y': 0.8},
                    derivatives={"x'": math.copysign(3.047849515, guess)})


def test_a_guess_chooses_the_root():
    # x^2 = 4: without a guess nothing chooses the sign
    text = "var x, y = 1\nx^2 + y = 5\ny' = -y\nsolve t in 0..1\n"
    check_alike(text.replace('var x,', 'var x ~ -1,'), [], {'x': -2})
    check_alike(text.replace('var x,', 'var x ~ 1,'), [], {'x': 2})
    # a line has no other side
    check_alike(text.replace('x^2', 'x'), [], {'x': 4})


def test_redundant_rods():
    # a = b, the forces of two equal constraints are not determined
    text = ("var a = -1, b ~ -1, wa = 2, l1, l2\na' = wa\n"
            "wa' = -l1*(sin(a)) + l2*cos(a)\nb'' = l1*sin(b) - l2*cos(b)\n"
            "cx: 2 + cos(b) - cos(a) = 2*1\ncy: sin(b) - sin(a) = 0\n"
            "solve t in 0..3, rtol = 1e-7\n")
    check_alike(text, ['W0305'], {'b': -1, 'wa': 2}, derivatives={"b'": 2})


def test_a_start_without_rank_is_told_once():
    # x = y = z = 0: the cone's tip, where its equation says nothing of lam;
    # 2 of 4 values are given, and x', y' are as free as anywhere
    text = ("var x = 0, y = 0, z ~ 0, lam\nx'' = -lam*x\ny'' = -lam*y\n"
            "z'' = lam*z - 9.81\nx^2 + y^2 = z^2\n")
    for command in ('check', 'init'):
        equal(judgement(command, text)[1], ['W0306', 'W0404', 'W0409'],
              command)


def test_what_is_missing_is_told_alike():
    # A' = 0 and B' = 0 say one thing: A = B
    text = ("var A ~ 1, B ~ 2\nA' = -A + B\nB' = A - B\n"
            "init A' = 0, B' = 0\nsolve t in 0..1\n")
    told = []
    for command in ('check', 'init', 'run'):
        r, codes = judgement(command, text)
        equal(codes, ['N0407', 'W0404'], command)
        told.append([d['message'] + str(d['notes'])
                     for d in r.json.get('diagnostics', [])])
    equal(told[0], told[1])
    equal(told[0], told[2])


main(globals())
