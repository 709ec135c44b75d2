"""Switches are located by runs, whatever the steps; the note on those that are not
is about studies at fixed steps."""

import math

from support import contains, dae, equal, main, near, write

# the pump runs an hour a day, and the level sinks in the other 23
PULSE = "var x = 0\nx' = if mod(t, 24) < 1 then 1 else -0.02\n"
SOLVE = 'solve t in 0..240\n'


def notes(text, *words, command='orders'):
    write('m.dae', text)
    document = dae(command, 'm.dae', '--json', '--no-times', *words,
                   status=0).json
    return [d for d in document.get('diagnostics', [])
            if d['code'] == 'N0508']


STUDY = ('--orders', '1', '--study', 'steps', '--steps', '0.5')


def test_one_note_names_the_first_and_counts():
    solve = 'solve t in 0..9\n'
    for text, place, words in [
            ("var x = 0\nx' = if t < 5 then 1 else 2\n" + solve, (2, 1),
             '`L2` switches at `t < 5`: '),
            ("var x = 0\nlet u = floor(t/7)\nx' = u\n" + solve, (2, 5),
             '`u` switches at `floor('),
            ("var x = 0\ninput u = if t >= 5 and t < 6 then 1 else 0\n"
             "x' = u\n" + solve, (2, 7), '`u` switches at '),
            ("var x = 1, y = 1\nx' = t < 5\ny' = -sign(y + 999)\n" + solve,
             (2, 1), '`L2` switches at `t < 5`, and so does 1 more: '),
            ("var x[3] = 1\na: x[i]' = ceil(t)*x[i]/1000 for i in 1..3\n"
             + solve, (2, 1),
             '`a[1]` switches at `ceil(t)`, and so do 2 more: '),
            ("var x = 1\nfun f(a) = if a > 3 then 1 else 0\nx' = f(x)\n"
             + solve, (3, 1), '`L3` switches at ')]:
        found = notes(text, *STUDY)
        equal(len(found), 1, text)
        equal(found[0]['severity'], 'note')
        equal((found[0]['line'], found[0]['column']), place, text)
        contains(found[0]['message'], words)
        contains(found[0]['message'], 'go across without knowing of it')


def test_pulses_are_met_by_runs():
    for words in [(), ('--rtol', '1e-3'), ('--max-step', '0.5')]:
        write('m.dae', PULSE + SOLVE)
        document = dae('run', 'm.dae', '--json', *words, status=0).json
        # ten pulses, and 230 hours between them
        near(document['values']['x'], 10 - 230*0.02, 1e-6, words)
        equal('diagnostics' in document, False)


def test_what_does_not_vary_is_silent():
    for text in ["param k = 1\nvar x = 1\nx' = if k > 0 then -x else x\n",
                 "param p[40] = 1\nvar x = 1\n"
                 "x' = -x*(if sum(p[i] for i in 1..40) > 3 then 1 else 2)\n",
                 "var x = 1\nx' = -abs(x)*max(1, x)\n",
                 "var x = 1\nx' = -x\noutput late = if t > 5 then 1 else 0\n",
                 "var x[2] = 1\nx[i]' = if i == 1 then -x[i] else 0 "
                 "for i in 1..2\n"]:
        equal(notes(text + 'solve t in 0..9\n', *STUDY), [], text)


def test_it_is_about_fixed_steps():
    write('m.dae', PULSE + SOLVE)
    for command in ('run', 'init'):
        equal(dae(command, 'm.dae', '--strict', status=0).err, '')
    text = "var x = 0\nx' = if t < 5 then 1 else 2\nsolve t in 0..9\n"
    equal(notes(text, '--study', 'tolerances', '--tolerances', '1e-4'), [])


BALL = '''var x = 1, v = 0
x' = v
v' = -9.81
bounce: when x < 0
  v := -0.8*v
end
solve t in 0..1
'''


def test_fixed_steps_are_not_studied_across_events():
    found = notes(BALL, '--tolerances', '1e-4,1e-6')
    equal(len(found), 1)
    contains(found[0]['message'], '`bounce` fires at t = 0.4515236')
    result = dae('orders', 'm.dae', *STUDY, status=2)
    contains(result.err, 'error[E0505]: `bounce` fires at t = 0.45')
    # before it they are
    equal(notes(BALL, *STUDY[:-1], '0.1', '--to', '0.4'), [])
    write('m.dae', BALL.replace('v := -0.8*v', 'stop "down"'))
    contains(dae('orders', 'm.dae', status=2).err,
             'a `stop` ends the run at t = 0.4515236')


def test_tolerances_are_studied_across_events():
    write('m.dae', BALL)
    document = dae('orders', 'm.dae', '--json', '--no-times', '--orders', '2,5',
                   '--tolerances', '1e-3..1e-8', status=0).json
    equal(document['fixed_step'], [])
    contains(document['reference_text'], 'runs at tight tolerance')
    rows = [r for r in document['adaptive'] if r['max_order'] == 5]
    equal(len(rows), 6)
    for row in rows:
        # no error is as large as the jump, and tighter ones are followed
        equal(row['error'] < 100*row['rtol'] + 1e-12, True, row)


def test_pulses_shorter_than_a_step_are_seen():
    """Ten hours at 1 and 230 at -0.02; a second of heating in a hundred."""
    write('m.dae', PULSE + SOLVE)
    near(dae('run', 'm.dae', '--json', status=0).json['values']['x'],
         10 - 0.02*230, 1e-9, 'x')
    write('m.dae', 'param width = 1\nvar T = 20\n'
          'input heating = if t >= 50 and t < 50 + width then 1 else 0\n'
          "T' = heating - 0.01*(T - 20)\nsolve t in 0..100, rtol = 1e-9\n")
    exact = 20 + 100*(math.exp(-0.49) - math.exp(-0.5))
    near(dae('run', 'm.dae', '--json', status=0).json['values']['T'],
         exact, 1e-6, 'T')


main(globals())
