"""The note on switches that are not located: on runs of models that have some,
unless the steps are bounded."""

from support import contains, dae, equal, main, near, write

PULSE = "var x = 0\nx' = if mod(t, 24) < 1 then 1 else -0.02\n"
SOLVE = 'solve t in 0..240\n'


def notes(text, *words, command='run'):
    write('m.dae', text)
    document = dae(command, 'm.dae', '--json', '--no-times', *words,
                   status=0).json
    return [d for d in document.get('diagnostics', [])
            if d['code'] == 'N0508']


def test_one_note_names_the_first_and_counts():
    for text, place, words in [
            (PULSE + SOLVE, (2, 1), '`L2` switches at `mod(t, 24) < 1`: '),
            ("var x = 0\nlet u = floor(t/7)\nx' = u\n" + SOLVE, (2, 5),
             '`u` switches at `floor('),
            ("var x = 0\ninput u = if t >= 50 and t < 51 then 1 else 0\n"
             "x' = u\n" + SOLVE, (2, 7), '`u` switches at '),
            ("var x = 1, y = 1\nx' = t < 5\ny' = -sign(y + 999)\n" + SOLVE,
             (2, 1), '`L2` switches at `t < 5`, and so does 1 more: '),
            ("var x[3] = 1\na: x[i]' = ceil(t)*x[i]/1000 for i in 1..3\n" + SOLVE,
             (2, 1), '`a[1]` switches at `ceil(t)`, and so do 2 more: '),
            ("var x = 1\nfun f(a) = if a > 3 then 1 else 0\nx' = f(x)\n"
             + SOLVE, (3, 1), '`L3` switches at ')]:
        found = notes(text)
        equal(len(found), 1, text)
        equal(found[0]['severity'], 'note')
        equal((found[0]['line'], found[0]['column']), place, text)
        contains(found[0]['message'], words)
        contains(found[0]['message'], 'one shorter than a step is missed')
        contains(found[0]['notes'][0], 'bound the steps: --max-step 0.5')


def test_bounded_steps_are_silent_and_see_the_pulses():
    for text, words in [(PULSE + SOLVE, ('--max-step', '0.5')),
                        (PULSE + 'solve t in 0..240, max_step = 0.5\n', ())]:
        equal(notes(text, *words), [])
    write('m.dae', PULSE + SOLVE)
    result = dae('run', 'm.dae', '--max-step', '0.5', '--json', status=0)
    near(result.json['values']['x'], 5.4, 1e-3)


def test_what_does_not_vary_is_silent():
    for text in ["param k = 1\nvar x = 1\nx' = if k > 0 then -x else x\n",
                 "param p[40] = 1\nvar x = 1\n"
                 "x' = -x*(if sum(p[i] for i in 1..40) > 3 then 1 else 2)\n",
                 "var x = 1\nx' = -abs(x)*max(1, x)\n",
                 "var x = 1\nx' = -x\noutput late = if t > 5 then 1 else 0\n",
                 "var x[2] = 1\nx[i]' = if i == 1 then -x[i] else 0 "
                 "for i in 1..2\n"]:
        equal(notes(text + 'solve t in 0..9\n'), [], text)


def test_the_second_run_does_not_repeat_it():
    equal(len(notes(PULSE + SOLVE, '--estimate-error')), 1)
    equal(len(notes(PULSE + SOLVE, '--repeat', '2')), 1)


def test_it_is_about_runs():
    write('m.dae', PULSE + SOLVE)
    equal(dae('init', 'm.dae', status=0).err, '')
    equal(dae('run', 'm.dae', '--quiet', status=0).err, '')
    contains(dae('run', 'm.dae', '--strict', status=0).err, 'N0508')


main(globals())
