"""dae run: the document, the table of values, the files, the exit status."""

import csv
import json
import math
import os
import subprocess

from support import DAE, DECAY, ENDLESS, ROOT, contains, dae, equal, main, near, write

STATS = ['steps', 'rejected_steps', 'residual_evals', 'jacobian_evals',
         'factorizations', 'newton_iterations', 'linear_iterations',
         'linear_fallbacks', 'error_test_failures',
         'convergence_failures', 'events', 'restarts', 'state_changes',
         'max_order', 'last_step', 'method', 'linear', 'unknowns',
         'columns', 'nonzeros', 'whole_fill', 'condensed',
         'condensed_nonzeros', 'fill']


def test_document():
    write('decay.dae', DECAY)
    d = dae('run', 'decay.dae', '--json', status=0).json
    equal(list(d), ['model', 'status', 't', 'values', 'derivatives',
                    'outputs', 'events', 'stats', 'seconds'])
    equal(d['model'], 'decay')
    equal(d['status'], 'done')
    equal(d['t'], 1)
    equal(list(d['values']), ['x', 'y'])
    near(d['values']['x'], math.exp(-2), 1e-7, 'x')
    near(d['values']['y'], 1 - math.exp(-2), 1e-7, 'y')
    equal(list(d['derivatives']), ["x'"])
    near(d['derivatives']["x'"], -2 * math.exp(-2), 1e-5, "x'")
    equal(list(d['outputs']), ['r', 'total'])
    near(d['outputs']['r'], 2 * math.exp(-2), 2e-7, 'r')
    near(d['outputs']['total'], 1, 1e-12, 'total')
    equal(d['events'], [])
    equal(list(d['stats']), STATS)
    equal(d['stats']['method'], 'bdf')
    equal(d['stats']['linear'], 'dense')
    equal(d['stats']['unknowns'], 2)
    equal(list(d['seconds']),
          ['compile', 'analyse', 'initialize', 'solve', 'total'])


def test_same_input_same_bytes():
    write('decay.dae', DECAY)
    words = ['run', 'decay.dae', '--json', '--no-times']
    first, second = dae(*words, status=0), dae(*words, status=0)
    equal(first.out, second.out)
    equal('seconds' in first.json, False)
    words = ['run', 'decay.dae', '--no-times']
    equal(dae(*words, status=0).out, dae(*words, status=0).out)


def test_text():
    write('decay.dae', DECAY)
    out = dae('run', 'decay.dae', status=0).out
    lines = out.split('\n')
    equal(lines[0], 'Decay')
    equal(lines[1], 't = 1 (done)')
    equal(lines[3].split()[0], 'x')
    near(float(lines[3].split()[1]), math.exp(-2), 1e-7)
    equal(lines[3].split()[2], 'm')
    equal(any(line != line.rstrip() for line in lines), False)
    equal(dae('run', 'decay.dae', '--quiet', status=0).out, '')


def test_csv_on_standard_output():
    write('decay.dae', DECAY)
    out = dae('run', 'decay.dae', '-o', '-', '--points', '3', status=0).out
    rows = list(csv.reader(out.splitlines()))
    equal(rows[0], ['t', 'x', 'y', 'r', 'total'])
    equal([row[0] for row in rows[1:]], ['0', '0.5', '1'])
    equal(rows[1], ['0', '1', '0', '2', '1'])
    near(float(rows[2][1]), math.exp(-1), 1e-7)
    near(float(rows[3][1]), math.exp(-2), 1e-7)


def test_numbers_read_back():
    write('decay.dae', DECAY)
    words = ['run', 'decay.dae', '--points', '2']
    rows = dae(*words, '-o', '-', status=0).out.splitlines()
    final = dae(*words, '--json', status=0).json['values']['x']
    equal(float(rows[2].split(',')[1]), final)


def test_names_with_commas_are_quoted():
    write('grid.dae', "var T[i in 1..2, j in 1..2] = i + 10*j\n"
          "T[i,j]' = 0 for i in 1..2, j in 1..2\nsolve t in 0..1\n")
    out = dae('run', 'grid.dae', '-o', '-', '--points', '2', status=0).out
    equal(out.splitlines()[0],
          't,"T[1,1]","T[1,2]","T[2,1]","T[2,2]"')
    equal(out.splitlines()[2], '1,11,21,12,22')


def test_several_files():
    write('decay.dae', DECAY)
    dae('run', 'decay.dae', '-o', 'a.csv', '-o', 'b.json', '--every', '0.25',
        status=0)
    with open('a.csv') as file:
        rows = list(csv.reader(file))
    with open('b.json') as file:
        document = json.load(file)
    equal(document['columns'], rows[0])
    equal(document['rows'],
          [[float(cell) for cell in row] for row in rows[1:]])
    equal([row[0] for row in document['rows']], [0, 0.25, 0.5, 0.75, 1])
    equal(document['status'], 'done')
    equal(document['t'], 1)


def times(*words):
    out = dae('run', *words, '-o', '-', status=0).out
    return [float(line.split(',')[0]) for line in out.splitlines()[1:]]


def test_output_times():
    write('decay.dae', DECAY)
    default = times('decay.dae')
    equal(default[0], 0)
    equal(default[-1], 1)
    equal(len(default) >= 500, True, 'number of times by default')
    equal(default, sorted(set(default)))
    steps = times('decay.dae', '--all-steps')
    count = dae('run', 'decay.dae', '--json').json['stats']['steps']
    equal(len(steps), count + 1)
    equal(set(steps) <= set(default), True, 'own steps are among the times')
    equal(times('decay.dae', '--every', '0.4'), [0, 0.4, 0.8, 1])
    write('log.dae', DECAY.replace('0..1,', '0..1000, grid = "log", '
                                   'first = 0.001, points = 8,'))
    listed = times('log.dae')
    for value, expected in zip(listed, [0, 1e-3, 1e-2, .1, 1, 10, 100, 1000]):
        near(value, expected, 1e-12 * expected)
    equal(len(listed), 8)


def test_output_does_not_influence_the_steps():
    write('decay.dae', DECAY)
    plain = dae('run', 'decay.dae', '--json', '--no-times').json
    fine = dae('run', 'decay.dae', '--json', '--no-times', '--points',
               '1000').json
    equal(plain['stats'], fine['stats'])
    equal(plain['values'], fine['values'])


def test_an_encounter_is_seen_at_all_tolerances():
    """A body at constant speed passes a place within a tenth of its way, and no error shows before:
    q is the integral of exp(-(x/3)^2) over x, 3 sqrt(pi)."""
    write('by.dae', "var x = -50, v = 1, q = 0\nx' = v\nv' = 0\nq' = exp(-(x/3)^2)\n"
          "solve t in 0..100\n")
    for method in ('bdf', 'radau', 'auto'):
        for rtol in ('1e-2', '1e-4', '1e-6', '1e-8'):
            values = dae('run', 'by.dae', '--json', '--method', method, '--rtol', rtol,
                         '--atol', rtol, status=0).json['values']
            near(values['q'], 3 * math.sqrt(math.pi), 100 * float(rtol), f'{method} {rtol}')


def test_what_follows_from_a_correction_is_corrected():
    """Without states, M by S, S by p: each is right at every step, the first one too."""
    write('m.dae', """var p, S, M
p = 4*t
S = cos(p)
M = S*p
solve t in 0..5
""")
    for k in (3, 5, 6, 7, 9):
        rtol = 10.0**-k
        text = dae('run', 'm.dae', '--rtol', f'{rtol:g}', '--atol', f'{rtol/1000:g}', '--all-steps',
                   '-o', '-', status=0).out
        for row in csv.DictReader(text.splitlines()):
            p, s, m = (float(row[name]) for name in ('p', 'S', 'M'))
            near(p, 4*float(row['t']), 1e-12)
            near(s, math.cos(p), 2*rtol)
            near(m, p*math.cos(p), 2*rtol*(abs(p) + abs(m)) + rtol/100, f'M at {row["t"]}, 1e-{k}')
    write('m.dae', """var phi, th ~ 0, x, S, M
phi = 4*t
th = 0.3*sin(phi)
x = 0.3*cos(phi) + cos(th)
x'' = S
M = S*phi
solve t in 0..5
""")
    dae('run', 'm.dae', '--rtol', '1e-9', '--atol', '1e-11', status=0)


def test_tolerances_below_rounding_end_no_run():
    """C = 1 - A - B holds the rounding of A, 1e-16, while its tolerance is 1e-5 rtol: no step of any length
    passes but by chance, unless the noise counts. Values: the model's references."""
    robertson = f'{ROOT}/models/chemistry/robertson.dae'
    for k in range(2, 11):
        rtol = k*1e-12
        values = dae('run', robertson, '--json', '--rtol', repr(rtol), '--atol', repr(1e-5*rtol),
                     status=0).json['values']
        near(values['A'], 0.71582706871940509, 1e-9, f'{k}e-12')
        near(values['B'], 9.1855347645577639e-6, 1e-13, f'{k}e-12')


def test_a_loose_tolerance_leads_to_no_other_solution():
    """B falls from 4e-5 to 2e-13, far below atol: for B or A below 0 the equations grow without bound, and formulas
    damp that. Values at 4e10: models/chemistry/robertson_long.dae, A = 5.2e-8 and C = 1 - A - B."""
    for name in ('robertson_long', 'robertson_ode_long'):
        for tolerance in ('1e-2', '1e-3', '1e-4', '1e-5', '1e-6'):
            document = dae('run', f'{ROOT}/models/chemistry/{name}.dae', '--json', '--rtol', tolerance,
                           '--atol', tolerance).json
            equal(document['status'], 'done', f'{name} {tolerance}')
            for unknown, right in ('A', 5.2e-8), ('B', 2.1e-13), ('C', 1):
                near(document['values'][unknown], right, float(tolerance), f'{name} {tolerance}')
    told = dae('run', f'{ROOT}/models/chemistry/robertson_ode_long.dae', '--json', '--rtol', '1e-2',
               '--atol', '1e-2').json['diagnostics']
    told = [d['message'] for d in told if d['code'] == 'W0533']
    equal(len(told), 1)
    contains(told[0], 'tolerance of `B`')
    text = open(f'{ROOT}/models/chemistry/robertson_ode_long.dae', encoding='utf-8').read()
    write('stop.dae', text.replace('solve', 'when t >= 1e9\n  stop\nend\nsolve', 1))
    loose = '--rtol', '1e-2', '--atol', '1e-2'
    for words in ('stop.dae', *loose), ('stop.dae', *loose, '--max-steps', '100'):
        contains(dae('run', *words).err, 'W0533')


def test_an_unstable_equilibrium_costs_no_steps():
    """x stays 0, from which it would part in 1e-6."""
    write('rest.dae', "var x = 0, y = 1\nx' = 1e6*x*(1 - x)\ny' = -y\nsolve t in 0..10\n")
    document = dae('run', 'rest.dae', '--json', status=0).json
    equal(document['values']['x'], 0)
    near(document['values']['y'], math.exp(-10), 1e-8)
    assert document['stats']['steps'] < 500, document['stats']


def test_settings_of_the_command_line_win():
    write('decay.dae', DECAY)
    d = dae('run', 'decay.dae', '--json', '--set', 'k=1', '--set', 'x(1)=3',
            '--from', '1', '--to', '2', status=0).json
    near(d['values']['x'], 3 * math.exp(-1), 1e-6)
    d = dae('run', 'decay.dae', '--json', '--order', '1', '--rtol', '1e-4',
            status=0).json
    equal(d['stats']['max_order'], 1)
    tight = dae('run', 'decay.dae', '--json', '--rtol', '1e-10', '--atol',
                '1e-13', status=0).json
    near(tight['values']['x'], math.exp(-2), 1e-9)
    d = dae('run', 'decay.dae', '--json', '--linear', 'klu', status=0).json
    equal(d['stats']['linear'], 'klu')


def test_backwards():
    write('decay.dae', DECAY)
    d = dae('run', 'decay.dae', '--json', '--to', '-1', status=0).json
    equal(d['t'], -1)
    near(d['values']['x'], math.exp(2), 1e-5)


def test_own_tolerance_of_an_unknown():
    write('decay.dae', DECAY)
    loose = ['run', 'decay.dae', '--json', '--rtol', '1e-12', '--atol', '1e-3']
    tight = loose + ['--atol', 'x=1e-9']
    equal(dae(*tight, status=0).json['stats']['steps']
          > dae(*loose, status=0).json['stats']['steps'], True)
    r = dae('run', 'decay.dae', '--atol', 'z=1e-9', status=2)
    contains(r.err, 'no unknown `z`')


def test_error_estimate_and_drift():
    write('decay.dae', DECAY)
    d = dae('run', 'decay.dae', '--json', '--estimate-error', '--drift',
            'total', '--drift', 'x', status=0).json
    # |exp(-2 t) - 1|: its mean over 0..1 is 1 - (1 - exp(-2))/2
    drift = d['drift']['x']
    equal(list(drift), ['start', 'largest', 'at', 'mean', 'final'])
    equal((drift['start'], drift['at']), (1, 1))
    near(drift['largest'], 1 - math.exp(-2), 1e-7)
    near(drift['final'], math.exp(-2) - 1, 1e-7)
    near(drift['mean'], 1 - (1 - math.exp(-2))/2, 1e-5)
    for key in ('largest', 'mean', 'final'):
        near(d['drift']['total'][key], 0, 1e-12)
    estimate = d['error_estimate']
    equal(list(estimate), ['norm', 'differences'])
    # the difference is the error but for the finer run's own
    error = d['values']['x'] - math.exp(-2)
    near(estimate['differences']['x'], error, 0.5 * abs(error))
    contains(dae('run', 'decay.dae', '--drift', 'z', status=2).err, '`z`')


def test_drift_of_a_wave():
    """sin t over 0..2 pi: the end is where it began; |sin| has the mean
    2/pi. The same numbers are in what is said of an expectation."""
    write('wave.dae', "var x = 0, v = 1\nx' = v\nv' = -x\n"
          'solve t in 0..6.283185307179586, rtol = 1e-9, atol = 1e-12\n'
          'expect x ~ initial(x) within 1e-3 always\n')
    r = dae('run', 'wave.dae', '--drift', 'x', '--drift', 'v', '--json',
            status=1)
    x, v = r.json['drift']['x'], r.json['drift']['v']
    near(x['largest'], 1, 1e-4)
    near(x['mean'], 2/math.pi, 1e-4)
    near(x['final'], 0, 1e-7)
    near(v['largest'], 2, 1e-4)
    near(v['at'], math.pi, 0.02)
    near(v['mean'], 1, 1e-4)
    near(abs(x['at'] - math.pi), math.pi/2, 0.02)
    said = r.json['diagnostics'][0]['notes'][0]
    contains(said, 'allowed 0.001; at most 1, at t = %.6g, and on the mean '
             '0.637' % x['at'])
    text = dae('run', 'wave.dae', '--drift', 'x').out
    contains(text, 'drift of x from 0: largest 1, at t = %.6g; mean 0.637; at '
             'the end ' % x['at'])


def test_repeat():
    write('decay.dae', DECAY)
    once = dae('run', 'decay.dae', '--json', '--no-times', status=0)
    thrice = dae('run', 'decay.dae', '--json', '--no-times', '--repeat', '3',
                 status=0)
    equal(thrice.out, once.out)


def test_standard_input():
    equal(dae('run', '-', '--json', stdin=DECAY, status=0).json['model'],
          'stdin')


def test_what_was_computed_is_written():
    write('blowup.dae', "var x = 1\nx' = x^2\nsolve t in 0..2\n")
    r = dae('run', 'blowup.dae', '-o', 'a.csv', '--json', status=4)
    equal(r.json['status'], 'failed')
    near(r.json['t'], 1, 1e-3)
    equal(r.json['diagnostics'][0]['severity'], 'error')
    with open('a.csv') as file:
        rows = file.read().splitlines()
    equal(float(rows[-1].split(',')[0]), r.json['t'])
    equal(float(rows[-1].split(',')[1]), r.json['values']['x'])


def test_limits():
    write('endless.dae', ENDLESS)
    r = dae('run', 'endless.dae', '--json', '--time-limit', '0.3', status=6)
    equal(r.json['status'], 'limit')
    equal(r.json['diagnostics'][-1]['code'], 'E0004')
    equal(r.json['t'] > 0, True)
    r = dae('run', 'endless.dae', '--json', '--max-steps', '50', status=6)
    equal(r.json['status'], 'limit')
    equal(r.json['diagnostics'][0]['code'], 'E0504')
    equal(r.json['stats']['steps'], 50)
    write('large.dae', "param n = 100000\nvar x[n] = 1\n"
          "x[i]' = -i*x[i] for i in 1..n\nsolve t in 0..1\n")
    r = dae('run', 'large.dae', '--json', '--memory-limit', '2', status=6)
    equal(r.json['status'], 'limit')


def test_large_models_are_summarized():
    write('large.dae', "param n = 20000\nvar x[i in 1..n] = i\n"
          "x[i]' = 0 for i in 1..n\nsolve t in 0..1\n")
    out = dae('run', 'large.dae', status=0).out
    contains(out, '20000 unknowns: least 1 (x[1]), greatest 20000 (x[20000]), '
             'mean 10000.5')
    equal(len(out.splitlines()) < 12, True)


def test_exit_statuses():
    write('decay.dae', DECAY)
    write('syntax.dae', "var x = 1\nx' = = 2\n")
    write('contradiction.dae',
          "var x = 2, y = 0\ny' = x\nx^2 + y^2 = 1\nsolve t in 0..1\n")
    write('few.dae', "var x\nx' = -x\nsolve t in 0..1\n")
    dae('run', 'decay.dae', status=0)
    dae('run', 'few.dae', status=0)
    dae('run', 'few.dae', '--strict', status=1)
    dae('run', 'contradiction.dae', status=1)
    dae('run', 'decay.dae', '--stepsize', '1', status=2)
    dae('run', 'decay.dae', '--step', '0', status=2)
    dae('run', 'decay.dae', '--set', 'z=1', status=2)
    dae('run', 'decay.dae', '-o', 'a.jpg', status=2)
    dae('run', 'decay.dae', '-o', 'a.txt', status=2)
    dae('run', status=2)
    dae(status=2)
    dae('run', 'syntax.dae', status=3)
    dae('run', 'missing.dae', status=5)
    dae('run', 'decay.dae', '-o', 'no/such/folder.csv', status=5)
    dae('run', 'decay.dae', '-o', 'no/such/folder.svg', status=5)
    if os.path.exists('/dev/full'):
        dae('run', 'decay.dae', '-o', '/dev/stdout', status=2)
        r = dae('run', 'decay.dae', '-o', 'a.csv', '-o', '-', status=0)
        equal(r.out.startswith('t,x,y'), True)


def test_contradiction_in_the_document():
    write('contradiction.dae',
          "var x = 2, y = 0\ny' = x\nx^2 + y^2 = 1\nsolve t in 0..1\n")
    d = dae('run', 'contradiction.dae', '--json', status=1).json
    equal(d['status'], 'inconsistent')
    equal(d['diagnostics'][0]['code'], 'E0401')


def test_mistakes_in_the_document():
    write('wrong.dae', "var x = 1\nx' = -rte*x\nsolve t in 0..1\n")
    r = dae('run', 'wrong.dae', '--json', status=3)
    equal(r.err, '')
    d = r.json
    equal(d['model'], 'wrong')
    equal(d['status'], 'failed')
    one = d['diagnostics'][0]
    equal(list(one), ['code', 'severity', 'message', 'file', 'line',
                      'column', 'end_line', 'end_column', 'notes'])
    equal([one['code'], one['severity'], one['file'], one['line'],
           one['column'], one['end_line'], one['end_column']],
          ['E0201', 'error', 'wrong.dae', 2, 7, 2, 10])


def test_start_values_at_the_time_of_from():
    write('m.dae', 'var y = 1\ny\' = 0\nsolve t in 0..10\n')
    words = ['run', 'm.dae', '--json', '--from', '5']
    d = dae(*words, '--set', 'y(5)=2.9', status=0).json
    near(d['values']['y'], 2.9, 1e-12)
    contains(dae(*words[:2], '--from', '5', '--set', 'y(0)=2.9', status=2).err,
             't = 5, not at 0')
    write('m.dae', 'var y = 1\ny\' = 0\n')
    d = dae(*words, '--to', '6', '--set', 'y(5)=2.9', status=0).json
    near(d['values']['y'], 2.9, 1e-12)


def test_set_to_a_name_that_is_none():
    write('decay.dae', DECAY)
    err = dae('run', 'decay.dae', '--set', 'k=abc', status=2).err
    contains(err, 'numbers and params')
    equal('`var abc`' in err, False)
    contains(dae('run', 'decay.dae', '--set', 'k=K', status=2).err, '`k`?')
    contains(dae('run', 'decay.dae', '--set', 'x(abc)=1', status=2).err,
             'abc')
    contains(dae('run', 'decay.dae', '--set', 'x(0, 1)=1', status=2).err,
             'at one time')


def test_set_to_what_is_no_name():
    """Mistakes of writing are not called missing params."""
    write('m.dae', "var q[2] = 1\nq[i]' = 0 for i in 1..2\nsolve t in 0..1\n")
    cases = [('q(0)[2]=1', 'an element at the start is written `q[2](0)=...`'),
             ("q'(0)[2]=1",
              "an element at the start is written `q'[2](0)=...`"),
             ('1=2', 'a name is wanted before `=`'),
             ('q+1=2', 'a name is wanted before `=`'),
             ('q(0)+1=2', 'a name is wanted before `=`'),
             ("q'=2", "its value at the start is set by `q'(0)=...`")]
    for text, message in cases:
        err = dae('run', 'm.dae', '--set', text, status=2).err
        contains(err, 'error[E0203]')
        contains(err, message)
        equal('no param' in err, False, err)
    d = dae('run', 'm.dae', '--json', '--set', 'q[2](0)=3', status=0).json
    equal(d['values'], {'q[1]': 1, 'q[2]': 3})


def test_interval_is_empty():
    """As with `solve t in 0..0`, but it is the command line that is wrong."""
    write('m.dae', "var x = 1\nx' = -x\nsolve t in 0..5\n")
    for words in [['--from', '5', '--to', '5'], ['--from', '5'], ['--to', '0']]:
        r = dae('run', 'm.dae', '--json', *words, status=2)
        equal(r.json['status'], 'failed')
        equal([m['message'] for m in r.json['diagnostics']],
              [f'the run ends where it starts, at {words[1]}'])
    dae('init', 'm.dae', '--from', '5', status=0)
    write('m.dae', "var x = 1\nx' = -x\nsolve t in 0..0\n")
    contains(dae('run', 'm.dae', status=3).err,
             'error[E0206]: the run ends where it starts, at 0')


def test_starts_that_fail():
    """A contradiction is a check that fails; where no values were found it is
    the numbers that failed. There are no values to print."""
    contradiction = "var x = 2, y = 0\ny' = x\nx^2 + y^2 = 1\n"
    bound = "var x = 2 {max = 1}\nx' = -x\n"
    nothing = "var y ~ 1\ny^2 + 1 = 0\n"
    no_value = "var x = 0\nx' = log(x)\n"
    for text, status, code, word in [
            (contradiction, 1, 'E0401', 'inconsistent'),
            (bound, 1, 'E0405', 'inconsistent'),
            (nothing, 4, 'E0402', 'failed'), (no_value, 4, 'E0403', 'failed')]:
        write('m.dae', text + 'solve t in 0..1\n')
        d = dae('run', 'm.dae', '--json', status=status).json
        equal([d['status'], d['diagnostics'][0]['code']], [word, code])
        equal('values' in d, False)
        for words in [[], ['--stats'], ['-o', 'a.csv'], ['--estimate-error']]:
            equal(dae('run', 'm.dae', *words, status=status).out, '')
        equal(dae('init', 'm.dae', status=status).out, '')


def test_elements_that_fail_alike():
    """The elements of one equation are one mistake."""
    write('m.dae', "param n = 5\nvar u[i in 0..n] = 1\nvar w = 2, z = 3\n"
          "u[i] = 0 for i in 0..n\nw = 1\nz' = w\nsolve t in 0..1\n")
    d = dae('run', 'm.dae', '--json', status=1).json
    equal([(m['code'], m['line']) for m in d['diagnostics']],
          [('E0401', 4), ('E0401', 5)])
    contains(d['diagnostics'][0]['message'], '`L4[0]` contradicts')
    contains(d['diagnostics'][0]['notes'][0], '5 more of its rows fail likewise')
    equal('of this kind' in d['diagnostics'][1]['notes'][0], False)


def test_numbers_and_nouns_agree():
    write('m.dae', "var x = 1\nx' = 0\nsolve t in 0..1\n"
          "expect x == 1\n")
    r = dae('run', 'm.dae', '--max-steps', '1', status=6)
    contains(r.out, '1 step (0 rejected), ')
    contains(dae('run', 'm.dae', status=0).out, '1 expectation holds')
    write('m.dae', "var y ~ 1\ny^2 + 1 = 0\nsolve t in 0..1\n")
    err = dae('run', 'm.dae', status=4).err
    contains(err, '`L2` has a residual of 1 (one equation for one unknown)')


def test_full_disk():
    if not os.path.exists('/dev/full'):
        return
    write('decay.dae', DECAY + 'expect x > 0 final\n')
    os.symlink('/dev/full', 'full.csv')
    for points in ['5', '5000']:  # fails at the end, and in between
        r = dae('run', 'decay.dae', '-o', 'full.csv', '-o', 'a.csv',
                '--points', points, status=5)
        contains(r.err, 'cannot write `full.csv`: No space left on device')
        equal('full.csv' in r.out, False, r.out)
        name = 'a.csv' if points == '5' else 'a.partial.csv'
        with open(name) as file:
            rows = file.read().count('\n') - 1
        contains(r.out, f'{name}: {rows} rows, 5 columns')
    os.mkdir('models')
    for name in ['a', 'b']:
        write(f'models/{name}.dae', DECAY + 'expect x > 0 final\n')
    with open('/dev/full', 'wb') as full:
        for words in [['test', 'models'], ['test', 'models', '--json'],
                      ['run', 'decay.dae']]:
            p = subprocess.run([DAE, *words], stdout=full, timeout=60,
                               stderr=subprocess.PIPE)
            equal(p.returncode, 5, words)
            equal(p.stderr.decode(), 'dae: cannot write to the standard '
                  'output: No space left on device\n', words)


ARRAYS = '''param n = 100
var x[i in 1..n] = sin(i), T[2,2] = 1 {K}
discrete k[30] = 2
x[i]' = -x[i] for i in 1..n
T' = -T
let s = sum(x)
output E[i in 1..25] = x[i]^2
solve t in 0..1
'''


def test_columns_that_are_asked_for():
    write('m.dae', ARRAYS)
    lines = dae('run', 'm.dae', '--columns', 'T,x[3],s,T[1,2]', '-o', '-', '--points', '2',
                status=0).out.splitlines()
    equal(lines[0], 't,"T[1,1]","T[1,2]","T[2,1]","T[2,2]",x[3],s,"T[1,2]"')
    whole = dae('run', 'm.dae', '-o', '-', '--points', '2', status=0).out.splitlines()
    names, last = next(csv.reader(whole[:1])), next(csv.reader(whole[-1:]))
    value = dict(zip(names, last))
    equal(next(csv.reader(lines[-1:])),
          [value[name] for name in next(csv.reader(lines[:1]))])
    dae('run', 'm.dae', '--columns', 'k,E[25]', '-o', 'a.json', status=0)
    with open('a.json', encoding='utf-8') as file:
        d = json.load(file)
    equal(d['columns'], ['t'] + [f'k[{i}]' for i in range(1, 31)] + ['E[25]'])
    equal(len(d['values']), 134, 'the document stays as it is')
    for option in ['--columns', '--plot']:
        for wanted in ['zz', 'x,zz', 'T[1', '', 'x,']:
            err = dae('run', 'm.dae', option, wanted, '-o', 'a.csv', status=2).err
            contains(err, f'error[E0505]: {option}: the model has no')
    equal(os.path.exists('a.csv'), False)


def test_refusals_of_a_solve_line():
    """What the line asks for and cannot be is shown there, unless options say more of it."""
    for line, what in (('linear = foo', 'the setting linear wants one of the words auto, dense, '
                        'klu, umfpack, list, direct, gmres'),
                       ('method = foo', 'there is no method `foo`'),
                       ('method = radua', 'there is no method `radua`'),
                       ('order = 9', '`order` cannot be 9'),
                       ('rtol = 2', '`rtol` cannot be 2'),
                       ('points = 1', 'at least 2 points are wanted')):
        write('m.dae', f"var x = 1\nx' = -x\nsolve t in 0..1, {line}\n")
        err = dae('run', 'm.dae', status=2).err
        contains(err, f'error[E0505]: {what}\n  --> m.dae:3:1\n')
        equal('did you mean `radau`?' in err, 'radua' in line)
    err = dae('run', 'm.dae', '--rtol', '3', '--points', '2', status=2).err
    contains(err, 'error[E0505]: `rtol` cannot be 3\n   = help')


def test_long_arrays_are_shortened():
    write('m.dae', ARRAYS)
    out = dae('run', 'm.dae', '--no-times', status=0).out
    rows = [line.split() for line in out.splitlines()]
    names = [row[0] for row in rows if len(row) > 1 and '[' in row[0]]
    equal(names, ['x[1]', 'x[100]', 'x[11]', 'x[33]', 'T[1,1]', 'T[1,2]', 'T[2,1]', 'T[2,2]',
                  'k[1]', 'k[30]', 'k[1]', 'k[1]', 'E[1]', 'E[25]', 'E[22]', 'E[11]'])
    contains(out, 'first of 100\n')
    contains(out, '  largest\n')
    whole = dae('run', 'm.dae', '--no-times', '--all', status=0).out
    equal(sum('[' in line for line in whole.splitlines()), 100 + 4 + 30 + 25)
    equal('first of' in whole, False)


def test_absolute_tolerances_alone():
    write('m.dae', "var x = 1, v = 0\nx' = v\nv' = -x\nsolve t in 0..6\n")
    for method in ['bdf', 'ndf', 'radau']:
        d = dae('run', 'm.dae', '--rtol', '0', '--atol', '1e-8', '--method', method,
                '--json', status=0).json
        near(d['values']['x'], math.cos(6), 1e-5, method)
    err = dae('run', 'm.dae', '--rtol', '0', '--atol', '0', status=2).err
    contains(err, '`rtol` cannot be 0')
    contains(err, 'or 0 with an atol above 0')
    err = dae('run', 'm.dae', '--atol', '0', status=2).err
    contains(err, 'm.dae:1:12')
    contains(err, '`v` is 0, and so is its absolute tolerance')
    dae('run', 'm.dae', '--atol', '0', '--step', '0.1', '--method', 'rk4', status=0)
    dae('run', 'm.dae', '--rtol=-1', status=2)
    dae('run', 'm.dae', '--rtol', '0', '--error', 'global', status=2)
    dae('orders', 'm.dae', '--rtol', '0', status=2)


def test_nan_has_no_sign():
    write('m.dae', 'param a = -1\nvar x = 1\nlet bad = sqrt(a)\n'
          'x\' = -x\nsolve t in 0..1\nexpect bad ~ 1 within 1\n')
    r = dae('run', 'm.dae', status=1)
    contains(r.out, ' nan')
    contains(r.err, 'nan')
    equal('-nan' in r.out + r.err, False)


def test_conditions_that_a_hidden_constraint_completes():
    # a - b holds no derivative: x = y + 1 restricts the start, so that x alone is enough
    write('hidden.dae', "var x = 3, y ~ 0\na: x' + y' = -y\nb: x' + y' = 1 - x\n"
          'solve t in 0..1\n')
    r = dae('run', 'hidden.dae', status=0)
    equal('W0404' in r.err, False, r.err)
    ring = os.path.join(ROOT, 'models', 'circuits', 'ring_modulator_limit.dae')
    equal('W0404' in dae('run', ring, status=0).err, False)


def test_strict_makes_warnings_errors():
    write('few.dae', "var x, y ~ 0\nx' = -x\ny = 2*x\nsolve t in 0..1\n")
    contains(dae('run', 'few.dae', status=0).err, 'warning[W0404]')
    contains(dae('run', 'few.dae', '--strict', '--quiet', status=1).err,
             'error[W0404]')
    d = dae('run', 'few.dae', '--strict', '--json', status=1).json
    equal([(m['code'], m['severity']) for m in d['diagnostics']],
          [('W0404', 'error')])


def test_a_branch_ends_with_the_interval():
    """acos(t) has no finite slope at t = 1, and no value behind; its integral to there is 1. `cos(p) = t` loses rank
    there, which is told of a run that would go on."""
    integral = "var y = 0, p ~ 1.5\ny' = p\n{}\nsolve t in 0..1\n"
    for equation in 'p = acos(t)', 'cos(p) = t':
        write('m.dae', integral.format(equation))
        for rtol, atol in (1e-3, 1e-9), (1e-4, 1e-11), (1e-6, 1e-6), (1e-6, 1e-9), (1e-7, 1e-10), (1e-8, 1e-9):
            words = 'run', 'm.dae', '--json', '--rtol', repr(rtol), '--atol', repr(atol)
            values = dae(*words, status=0).json['values']
            near(values['p'], 0, max(10*atol, 1e-7), f'{equation} at {rtol:g}, {atol:g}')
            near(values['y'], 1, 100*rtol, f'{equation} at {rtol:g}, {atol:g}')
            if equation != 'p = acos(t)':
                told = dae(*words, '--to', '1.01', status=4).json['diagnostics']
                equal([d['code'] for d in told], ['E0502'])


# A slow decay beside a fast oscillation: the error of the latter is the larger one
# in each step. A motion between two events of known number: v turns at each bounce.
SLOW_AND_FAST = '''var x = 1, y = 0
x' = -x
y' = 100*cos(100*t)
solve t in 0..10
'''


def test_why():
    write('both.dae', SLOW_AND_FAST)
    for words in ([], ['--method', 'radau']):
        d = dae('run', 'both.dae', '--why', '--json', *words, status=0).json
        why = d['why']
        equal(why['steps'], d['stats']['steps'])
        equal(sum(why['limited_by'].values()), why['steps'])
        equal(why['largest_error'][0]['unknown'], 'y')
        assert why['largest_error'][0]['steps'] > 0.9*why['steps'], why
    text = dae('run', 'both.dae', '--why', status=0).out
    contains(text, '`y` sets the most steps')
    assert 'sets the most steps' not in dae('run', 'both.dae', status=0).out


def test_why_limits():
    """Steps of at most 0.001 where the error allows more; a bounce every 0.01."""
    write('line.dae', "var x = 1\nx' = -x\nsolve t in 0..1\n")
    d = dae('run', 'line.dae', '--why', '--max-step', '0.001', '--json', status=0).json
    why = d['why']
    assert why['limited_by']['longest'] > 0.9*why['steps'], why
    contains(dae('run', 'line.dae', '--why', '--max-step', '0.001', status=0).out,
             'steps are as long as allowed (0.001)')
    # a slow decay: where nothing is said steps have a longest length, too
    write('slow.dae', "var x = 1\nx' = -1e-3*x\nsolve t in 0..1\n")
    for words, part in ((), '--max-step sets them'), (('--step', '0.01'), '100 of 100 steps'):
        contains(dae('run', 'slow.dae', '--why', *words, status=0).out, part)
    write('saw.dae', '''var x = 0
x' = 1
when x >= 0.01
  x := 0
end
solve t in 0..1
''')
    why = dae('run', 'saw.dae', '--why', '--json', status=0).json['why']
    assert 99 <= why['limited_by']['event'] <= 100, why


def test_too_many_steps_of_the_length_allowed():
    """No tolerance makes them fewer; the step that is shown has been taken."""
    write('m.dae', "var a = 1, b = 0\na' = -1e6*a\nb' = 1\nsolve t in 0..1, max_step = 1e-6\n")
    told = dae('run', 'm.dae', '--max-steps', '1000', status=6).err
    contains(told, 'with h = 1e-06')
    contains(told, 'help: allow more with --max-steps, or raise `max_step`: steps are as long as it '
             'allows')
    dae('run', 'm.dae', '--max-steps', '1000', '--max-step', '0.1', status=0)
    told = dae('run', 'm.dae', '--max-steps', '10', '--max-step', '0.1', status=6).err
    contains(told, 'help: allow more with --max-steps, or loosen the tolerances')


main(globals())
