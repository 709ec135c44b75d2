"""A value that is not finite is named by the operation that has none, with its operands,
at the line where it arises: in a `let`, in an equation, and where an unknown carries it
on; at the start and during a run. Log-mean temperature differences, whose logarithm has
an argument that reaches 0, and what drains through a root."""

import math

from support import contains, dae, equal, main, near, write

# Both outlets of an exchanger that heats a store at T; the colder one is cooled, too.
LETS = '''param UA = 1000, C = 1000
var T = {T}
let d1 = {hot} - T
let d2 = {cold} - T{cooled}
let mean = (d1 - d2)/log(d1/d2)
store: C*T' = UA*mean + 4000
solve t in 0..100
'''

UNKNOWNS = '''param UA = 1000, C = 1000
var T = {T}
var d1 ~ 10, d2 ~ 5, lm ~ 7, Q ~ 1
one: d1 = {hot} - T
two: d2 = {cold} - T{cooled}
mean: lm = (d1 - d2)/log(d1/d2)
duty: Q = UA*lm
store: C*T' = Q + 4000
solve t in 0..100
'''
RUN = {'T': 300, 'hot': 350, 'cold': 340, 'cooled': ' - 5*t'}


def slope(t, T):
    """T' by the formula itself."""
    one, two = 350 - T, 340 - T - 5*t
    return (one - two)/math.log(one/two) + 4


def time_of_zero():
    """When the second difference reaches 0: Runge's method of order 4 with ever shorter
    steps, the rest of the way at the slope there, which changes it below 1e-5."""
    t, T = 0.0, 300.0
    while 340 - T - 5*t > 1e-7:
        h = 1e-3*(340 - T - 5*t)/60
        k1 = slope(t, T)
        k2 = slope(t + h/2, T + h/2*k1)
        k3 = slope(t + h/2, T + h/2*k2)
        k4 = slope(t + h, T + h*k3)
        t, T = t + h, T + h/6*(k1 + 2*k2 + 2*k3 + k4)
    return t


def report(text, code, status, equation, line, *parts):
    """Of a run: its one error, as it was written down before."""
    write('m.dae', text)
    result = dae('run', 'm.dae', status=status)
    contains(result.err, f'error[{code}]')
    contains(result.err, f'--> m.dae:{line}:1')
    contains(result.err, f'worst equation `{equation}`')
    for part in parts:
        contains(result.err, part)
    equal(result.err.count('error['), 1)
    return result


def test_a_difference_reaches_0_in_a_run():
    zero = time_of_zero()
    for text, equation, line, where in (
            (LETS, 'store', 6, ' (in `mean` at line 5)'),
            (UNKNOWNS, 'mean', 6, '')):
        for rtol in ('1e-4', '1e-5', '1e-6'):
            write('m.dae', text.format(**RUN))
            result = dae('run', 'm.dae', '--rtol', rtol, status=4)
            end = float(result.out.split('t = ')[1].split()[0])
            # 30 tolerances of T = 333, at which the difference falls by 9.4
            near(end, zero, 30*333*float(rtol)/9.4 + 1e-5, rtol)
            for part in (f'error[E0503]: `{equation}` has no finite value',
                         f'--> m.dae:{line}:1', 'log(d1/d2) with d1 = 16.6',
                         'd2 = -', where):
                contains(result.err, part)


def test_a_difference_is_negative_at_the_start():
    at = {'T': 345, 'hot': 350, 'cold': 340, 'cooled': ''}
    report(LETS.format(**at), 'E0403', 4, 'store', 6,
           'log(d1/d2) with d1 = 5, d2 = -5 (in `mean` at line 5)')
    report(UNKNOWNS.format(**at), 'E0401', 1, 'mean', 6,
           '`mean` has no value there: log(d1/d2) with d1 = 5, d2 = -5',
           'given as 345')


def test_equal_differences_are_0_by_0():
    at = {'T': 300, 'hot': 350, 'cold': 350, 'cooled': ''}
    report(LETS.format(**at), 'E0403', 4, 'store', 6,
           'd1 = 50, d2 = 50 (in `mean` at line 5)')


def test_a_root_of_an_unknown_that_is_negative():
    text = '''var h = 1, q ~ 1, p ~ 1
head: p = h - 1.5
flow: q = 2*sqrt(p)
level: 3*h' = 1 - q
solve t in 0..10
'''
    report(text, 'E0401', 1, 'flow', 3,
           '`flow` has no value there: sqrt(p) with p = -0.5', 'given as 1')
    write('m.dae', text)
    check = dae('check', 'm.dae', status=1)
    contains(check.out, 'flow   line 3, has no value')
    party = dae('check', 'm.dae', '--json', status=1).json['initial']['conflicts'][1]
    equal((party['name'], party['residual']), ('flow', None))
    write('m.dae', text.replace('h = 1,', 'h = 2,'))
    dae('run', 'm.dae', status=0)


def test_a_steep_logistic_function_whose_exponential_overflows():
    """exp(1000) at the start, where 1/(1 + exp) and its derivative are 0. With
    w = exp(t - 510) the integral is that of w^2/(w^2 + c^2) from 0 to 1."""
    c = math.exp(-10)
    exact = 1 - c*math.atan(1/c)
    write('m.dae', '''"A ramp that switches a source on"
var s = 0, x = 0
s' = 0.01
x' = -x + 1/(1 + exp(-(s - 5)*200))
solve t in 0..510
''')
    for tolerance in (1e-2, 1e-4, 1e-6, 1e-8):
        for method in 'bdf', 'radau':
            run = dae('run', 'm.dae', '--json', '--rtol', str(tolerance), '--atol',
                      str(tolerance), '--method', method, status=0)
            near(run.json['values']['x'], exact, tolerance, f'{method} {tolerance}')


def test_an_unstable_formula_is_told_of_steps_of_one_length():
    # x decays; rk4 multiplies it by 1 + z + z^2/2 + z^3/6 + z^4/24 = 4.0e10 at z = -1000
    write('m.dae', "var x = 1\nx' = -10000*x\nsolve t in 0..10\n")
    told = dae('run', 'm.dae', '--method', 'rk4', '--step', '0.1', status=4).err
    contains(told, 'is too large to compute with')
    contains(told, 'the formula is unstable at this step: take shorter steps '
             '(`dae stability` with --step shows which are stable)')
    assert 'smaller unit' not in told and 'its logarithm' not in told
    shown = dae('stability', 'm.dae', '--step', '0.1', '--methods', 'rk4', status=0).out
    contains(shown, 'grows')
    dae('run', 'm.dae', '--method', 'rk4', '--step', '2e-4', '--to', '0.1', status=0)


def test_what_leads_out_of_a_domain_is_named():
    text = "var c = 1{}, mu\nlead: c' = -1\npot: mu = log(c)\nsolve t in 0..2\n"
    told = report(text.format(''), 'E0503', 4, 'pot', 3, "lead: c' = -1", 'leads `c` there').err
    contains(told, 'help: where the solution itself ends, stop before, with --to; where only errors '
             'of steps leave the domain, a bound (`min`, `max`) inside it helps, or `max(a - b, 0)` '
             'for a difference')
    dae('run', 'm.dae', '--to', '0.999', status=0)
    told = report(text.format(' {min = 0}'), 'E0503', 4, 'pot', 3, 'log(c) with c = 0\n',
                  'leads `c` there').err  # never beyond the bound
    contains(told, '`c` is at its bound (min = 0) there: where the solution itself ends, stop '
             'before, with --to; else choose a bound where the equations have a value')


def test_rounded_operands_do_not_hide_the_argument():
    text = "var p1 = 2, p2 = 1\nlet q = {}\np1' = -q\np2' = q\nsolve t in 0..5\n"
    report(text.format('sqrt(p1 - p2)'), 'E0503', 4, 'L3', 3, 'sqrt(p1 - p2) = sqrt(-',
           ') with p1 = 1.5, p2 = 1.5 (in `q` at line 2)', 'or `max(a - b, 0)` for a difference')
    write('m.dae', text.format('sqrt(max(p1 - p2, 0))'))
    near(dae('run', 'm.dae', '--json', status=0).json['values']['p1'], 1.5, 1e-5)
    report("param Vt = 0.025\nvar v = 50, i\nv' = -i\ni = exp(v/Vt)\nsolve t in 0..2\n",
           'E0403', 4, 'L4', 4, 'exp(v/Vt) = exp(2000), too large, with v = 50, Vt = 0.025')


def test_another_time_is_offered_where_it_helps():
    told = report("var r = 0, u\nr' = 1\nu = 1/r\nsolve t in 0..2\n", 'E0403', 4, 'L3', 3,
                  'help: give values or guesses where it has a value\n').err
    equal('another time' in told, False)
    for text in ('let r = 2*t\nvar u\nu = 1/r\nsolve t in 0..2\n',
                 'input g = smooth(max(sin(t), 0))\nvar c1, c2\n'
                 "c2' = 0.5*(c1 - c2)\nout: c2 = g\nsolve t in 0..2\n"):
        write('m.dae', text)
        contains(dae('run', 'm.dae', status=4).err,
                 'help: start at another time than t = 0, with --from, or give values or guesses '
                 'where it has a value')
        dae('run', 'm.dae', '--from', '0.1', status=0)


main(globals())
