"""What is read at an event: outputs of values that lie beyond their edge by
rounding, and what right sides of assignments see. The expectations are worked
out by hand."""

from support import contains, dae, equal, main, write


def run(text, *words, status=0):
    write('m.dae', text)
    return dae('run', 'm.dae', '--no-times', *words, status=status)


def test_outputs_have_values_at_kinks():
    run('''
var h = 1, y = 0
h' = -1
y' = max(-h, 0)
output a = max(-h, 0)^1.5
output b = sqrt(max(-h, 0))
let c = sqrt(max(h, 0))
solve t in 0..2.5
expect a >= 0 and b >= 0 always
expect c >= 0 always
expect a ~ 1.5^1.5 within 1e-6 final
''')
    # x = cos(w t), with w another one on either side
    run('''
var x = 1, v = 0
x' = v
v' = -x - 0.1*max(x, 0)
output a = max(x, 0)^1.5
output b = log(1 + sqrt(max(-x, 0)))
solve t in 0..20
expect a >= 0 always
expect b >= 0 always
''')


def test_outputs_have_values_where_branches_meet():
    result = run('''
var x = -1, y = 0
x' = 1
y' = if x < 0 then 1 else 2
output r = if x < 0 then sqrt(-x) else sqrt(x)
output j = if x < 0 then 1 else 2
solve t in 0..2
expect r >= 0 and j >= 1 always
expect y ~ 3 within 1e-8 final
''', '-o', '-', '--events')
    equal('nan' in result.out.lower(), False, result.out)


def test_energy_of_a_contact_stays():
    run('''
param k = 1e5
var h = 0.1, v = 0
h' = v
v' = -9.81 + k*max(-h, 0)^1.5
output E = 0.5*v^2 + 9.81*h + k*max(-h, 0)^2.5/2.5
solve t in 0..2, rtol = 1e-9, atol = 1e-11
expect E ~ initial(E) within 1e-6 always
''')


def test_what_has_no_value_is_told_still():
    result = run('''
var h = 1, y = 0
h' = -1
y' = max(-h, 0)
output a = sqrt(h)
solve t in 0..2
expect a >= 0 always
''', status=1)
    contains(result.err, 'E0601')


def test_a_mode_that_is_entered_is_no_condition_that_stays():
    for condition in 'v <= 0', 'v < 0':
        result = run(f'''
param mu = 0.3, g = 9.81
var x = 0, v = 2
discrete moving = 1, ts = 0
x' = v
v' = -mu*g*moving
st: when {condition}
  v := 0
  moving := 0
  ts := t
end
solve t in 0..3
expect x ~ 4/(2*mu*g) within 1e-6 final
expect ts ~ 2/(mu*g) within 1e-6 final
''')
        equal('W0528' in result.err, False, result.err)


def test_right_sides():
    write('steps.csv', 'time,u\n0,1\n1,3\n2,-2\n')
    run('''
input u = table("steps.csv", x="time", y="u", interp="hold")
var x = 0, y
discrete k = 0, l = 0, m = 0, d = 0, s = 0, q = 0
let w = 2*u
let late = if t >= 1 then 3 else 1
x' = u
y = u
a: when t >= 1
  k := u
  l := w
  m := y
  d := x'
  s := late
  q := floor(t)
end
solve t in 0..1.5
expect k == 3 and l == 6 and s == 3 and q == 1 final
expect m == 1 and d == 1 final
''')
    run('''
var x = 0, y
discrete k = 0, m = 0, q = 0
let late = if x >= 1 then 3 else 1
x' = 1
y = late
a: when x >= 1
  k := late
  m := y
  q := floor(x)
end
solve t in 0..1.5
expect k == 3 and m == 1 and q == 1 final
''')


def test_helps_use_the_names_that_stand_there():
    for target, sign, help_text in [
            ('n', '+= 1', '`n := n + ...`'), ('q[2]', '--', '`q[2] := q[2] - 1`'),
            ("x'", '*= 2', "`x' := x' * ...`"),
            ('n'*61, '++', '`x := x + 1`')]:
        result = run(f'var x = 1\nx\' = -x\nwhen x < 0.5\n  {target} {sign}\nend\n'
                     'solve t in 0..2\n', status=3)
        contains(result.err, 'E0220')
        contains(result.err, help_text)


def test_an_if_block_on_what_changes():
    for declared, condition in ('', 'x < 0.5'), ('', 't < 1'), ('discrete k = 1\n',
                                                               'k > 0'):
        result = run(f"var x = 1\n{declared}if {condition}\n  x' = 1\nelse\n"
                     "  x' = 2\nend\nsolve t in 0..2\n", status=3)
        contains(result.err, 'E0206')
        contains(result.err, "`x' = if c then a else b`")
        contains(result.err, '`when c`')
    result = run("var x = 1\nvar a[x] = 1\nx' = 1\na' = -a\nsolve t in 0..2\n",
                 status=3)
    equal('when c' in result.err, False, result.err)


main(globals())
