"""What the command says of events: rows of both sides, lists, discrete variables,
stops and prints. Times and values are known in closed form: a ball that falls from
1 m is at the ground at sqrt(2/g), comes back 2*e^k*sqrt(2*g)/g later; what is
integrated between steps of time is a polynomial."""

import csv
import io
import math
import os

from support import ROOT, contains, dae, equal, main, near, write

G, E = 9.81, 0.8
BALL = f'''"Ball"
param e = {E}, g = {G}
var x = 1 {{m}}, v = 0 {{m/s}}
discrete n = 0
let energy = v^2/2 + g*x
x' = v
v' = -g
bounce: when x < 0
  v := -e*v
  n := n + 1
end
solve t in 0..2, rtol = 1e-8, atol = 1e-10
'''
FALL = math.sqrt(2/G)
SPEED = math.sqrt(2*G)
# of the bounces before t = 2; speeds before them
HITS = [FALL, FALL + 2*E*SPEED/G, FALL + 2*(E + E*E)*SPEED/G]
SPEEDS = [SPEED, E*SPEED, E*E*SPEED]

STEPS = '''var x = 0
discrete u = 0
x' = u
up: when t >= 1
  u := 2
  print "on"
end
down: when t >= 3
  u := -1
  print "off"
  print "and down"
end
solve t in 0..5
'''


def run(text, *words, status=0):
    write('m.dae', text)
    return dae('run', 'm.dae', '--no-times', *words, status=status)


def rows(text, *words):
    out = list(csv.reader(io.StringIO(run(text, '-o', '-', *words).out)))
    return out[0], [[float(v) for v in r] for r in out[1:]]


def check_sides(table, times, befores, afters, column):
    """Each time is in two rows that follow each other, before and after."""
    for t, before, after in zip(times, befores, afters):
        at = [i for i, r in enumerate(table) if abs(r[0] - t) < 1e-7]
        equal(len(at), 2, f'rows at {t}')
        equal(at[1], at[0] + 1)
        equal(table[at[0]][0], table[at[1]][0], 'one time')
        near(table[at[0]][0], t, 1e-8, 'time')
        near(table[at[0]][column], before, 1e-6, f'before {t}')
        near(table[at[1]][column], after, 1e-6, f'after {t}')


def test_tables_have_both_sides_in_order():
    for words, count in [(('--points', '6'), 6), (('--every', '0.3'), 8),
                         (('--points', '1001'), 1001), (('--all-steps',), None),
                         ((), None)]:
        head, table = rows(BALL, *words)
        equal(head, ['t', 'x', 'v', 'n', 'energy'])
        check_sides(table, HITS, [-s for s in SPEEDS], [E*s for s in SPEEDS], 2)
        equal([r[3] for r in table if abs(r[0] - HITS[1]) < 1e-7], [1, 2], 'n')
        times = [r[0] for r in table]
        equal(times, sorted(times), 'in order')
        equal(len(set(times)), len(times) - len(HITS), 'twice are events alone')
        if count:
            equal(len(table), count + 2*len(HITS), words)
        for r in table:  # the row belongs to its side
            near(r[4], G*E**(2*r[3]), 1e-6, f'energy at {r[0]}')


def test_a_logarithmic_grid_has_both_sides():
    text = BALL.replace('atol = 1e-10', 'atol = 1e-10, points = 9, grid = "log"')
    table = rows(text)[1]
    equal(len(table), 9 + 2*len(HITS))
    check_sides(table, HITS, [-s for s in SPEEDS], [E*s for s in SPEEDS], 2)


def test_an_output_time_at_an_event_is_no_third_row():
    head, table = rows(STEPS, '--points', '6')
    equal(head, ['t', 'x', 'u'])
    equal([r[0] for r in table], [0, 1, 1, 2, 3, 3, 4, 5])
    equal([r[2] for r in table], [0, 0, 2, 2, 2, -1, -1, -1])
    for r in table:
        near(r[1], 2*min(max(r[0] - 1, 0), 2) - max(r[0] - 3, 0), 1e-9, r[0])


def test_json_files_and_several_files_at_once():
    run(BALL, '-o', 'a.json', '-o', 'a.csv', '-o', 'b.csv', '--points', '6')
    import json
    with open('a.json', encoding='utf-8') as file:
        document = json.load(file)
    equal(document['columns'], ['t', 'x', 'v', 'n', 'energy'])
    with open('a.csv', encoding='utf-8') as file:
        table = list(csv.reader(file))[1:]
    equal(document['rows'], [[float(v) for v in r] for r in table])
    equal(len(document['events']), len(HITS))
    with open('a.csv', 'rb') as a, open('b.csv', 'rb') as b:
        equal(a.read(), b.read())


def test_the_document_lists_events():
    document = run(BALL, '--json').json
    equal(document['status'], 'done')
    equal(list(document['values']), ['x', 'v', 'n'])
    equal(document['values']['n'], 3)
    equal(document['stats']['events'], 3)
    equal(document['stats']['restarts'], 3)
    equal(len(document['events']), 3)
    for k, e in enumerate(document['events']):
        equal((e['label'], e['kind']), ('bounce', 'when'))
        near(e['t'], HITS[k], 1e-8, 'time')
        near(e['before']['v'], -SPEEDS[k], 1e-6)
        near(e['after']['v'], E*SPEEDS[k], 1e-6)
        equal((e['before']['n'], e['after']['n']), (k, k + 1))
        # x' = v jumps with v; x and v' go on
        equal(set(e['before']), {'v', 'n', "x'"})
        equal(set(e['after']), {'v', 'n', "x'"})
    equal(dae('run', 'm.dae', '--json', '--no-times', '--events').json, document)


def test_a_switch_without_a_when_is_listed_as_one():
    document = run("var y = 0\ny' = if y < 2 then 2 else 1\nsolve t in 0..3\n",
                   '--json').json
    equal(len(document['events']), 1)
    e = document['events'][0]
    equal((e['label'], e['kind']), ('y < 2', 'switch'))
    near(e['t'], 1, 1e-9)
    equal((e['before']['y < 2'], e['after']['y < 2']), (1, 0))
    near(e['before']["y'"], 2, 1e-6)
    near(e['after']["y'"], 1, 1e-6)
    near(document['values']['y'], 4, 1e-8)


def test_switches_of_one_text_are_one_event():
    """`v > 0` is a switch of the sign that slides, and one of the when."""
    write('m.dae', """var x = 0, v = 3
discrete hits = 0
x' = v
v' = -4*x - 0.3*sign(v)
right: when x > 0.8 and v > 0
  v := -0.7*v
  hits := hits + 1
end
solve t in 0..10, sliding = on
""")
    found = dae('run', 'm.dae', '--json', status=0).json['events']
    shown = [(e['t'], e['label'], str(e['before']), str(e['after'])) for e in found]
    equal(len(shown), len(set(shown)))
    contains(str(shown), 'v > 0')


def test_a_switch_turned_by_what_is_assigned_is_told_with_the_when():
    """The valve's `if` looks at h, which the second when sets; the first sets nothing that a branch looks at. Their own
    conditions are not listed."""
    text = ("var h = 1, q\ndiscrete n = 0\nh' = 1 - q\nq = if h > 2 then h - 2 else 0\n"
            'early: when t > 0.5\n  n := 1\nend\nrefill: when t > 1.5\n  h := 0.5\nend\nsolve t in 0..2\n')
    found = run(text, '--json').json['events']
    equal([(e['label'], e['kind']) for e in found],
          [('early', 'when'), ('h > 2', 'switch'), ('refill', 'when')])
    equal([(sorted(e['before']), e['before'].get('h > 2'), e['after'].get('h > 2')) for e in found[::2]],
          [(['n'], None, None), (['h', 'h > 2', "h'", 'q'], 1, 0)])
    contains(run(text, '--events').out, 'h > 2 1 -> 0')


def test_the_list_for_people():
    out = run(BALL, '--events').out
    contains(out, '\n3 events\n')
    lines = [line.split() for line in out.splitlines() if 'bounce' in line]
    equal([line[1] for line in lines], ['bounce']*3)
    near(float(lines[0][0]), HITS[0], 1e-8)
    contains(' '.join(lines[0]), 'v -4.42945 -> 3.54356, n 0 -> 1')
    contains(out, '3 events, 3 restarts')
    # what nobody asked for is not told
    equal('bounce' in run(BALL).out, False)
    out = run('var x = 1\nx\' = -x\nsolve t in 0..1\n', '--events').out
    contains(out, 'no events')
    # beside files too; with a table on standard output elsewhere
    contains(run(BALL, '--events', '-o', 'a.csv').out, '3 events')
    contains(run(BALL, '--events', '-o', '-').err, '3 events')


NO_NEWS = '''var x = 0
discrete n = 2, a = 0, big = 1000000
x' = 1
same: when x > 0.25
  n := 2
  print "here"
end
idle: when x > 0.375
end
text: when x > 0.4375
  print "now"
end
go: when x > 0.5 and a != 1
  n := n + 1
end
up: when x > 0.5
  a := 1
end
far: when a == 1
  a := 2
end
grow: when x > 0.625
  big := big + 0.25
end
enough: when x > 0.75
  stop "that is all"
end
solve t in 0..1
'''


# by hand: at 0.5 `go` and `up` fire, then `far` alone, for a is 1; then `go` again
def test_what_does_not_change_is_told_in_short():
    out = run(NO_NEWS, '--events').out
    lines = [line.split(None, 2) for line in out.splitlines()
             if line.startswith('  0.')]
    equal([line[1] + ': ' + line[2] for line in lines],
          ['same: n stays 2, prints "here"', 'idle: nothing changes',
           'text: prints "now"', 'go: n 2 -> 4; fires twice', 'up: a 0 -> 2',
           'far: a 0 -> 2', 'grow: big 1000000 -> 1000000.25',
           'enough: stops "that is all"'])
    events = run(NO_NEWS, '--json').json['events']
    equal([e.get('times', 1) for e in events], [1, 1, 1, 2, 1, 1, 1, 1])
    equal((events[0]['before'], events[0]['after']), ({'n': 2}, {'n': 2}))
    equal((events[3]['before'], events[3]['after']), ({'n': 2}, {'n': 4}))


# A block that sticks to its belt: it has the belt's speed when it is given it.
def test_a_mode_that_is_entered_is_no_bounce_without_speed():
    with open(os.path.join(ROOT, 'docs/contact.md'), encoding='utf-8') as file:
        text = file.read().split('```dae\n')[2].split('```')[0]
    result = run(text, '--events')
    equal(result.err, '', 'no warning')
    lines = [line for line in result.out.splitlines() if ' stick ' in line]
    equal(len(lines), 3)
    for line in lines:
        contains(line, 'v stays 0.5')


MANY = '''var s = 0
discrete n = 0
s' = 1
tick: when s >= 0.001*(n + 1)
  n := n + 1
end
solve t in 0..2.0005
'''


# 0.001 is a thousand tolerances of s where s is 1: n moves the edge all the same
def test_of_many_some_are_shown():
    out = run(MANY, '--events').out
    contains(out, '\n2000 events\n')
    contains(out, '... 1880 more ...')
    equal(sum('tick' in line for line in out.splitlines()), 120)
    document = run(MANY, '--json').json
    equal(len(document['events']), 2000)
    for k, e in enumerate(document['events']):
        near(e['t'], 0.001*(k + 1), 1e-9)
        equal(e['after']['n'], k + 1)


STOP = BALL.replace('solve', '''enough: when n >= 2
  stop "two are enough"
end
solve''')


def test_a_stop_ends_the_run():
    document = run(STOP, '--json').json
    equal(document['status'], 'stopped')
    equal(document['stop'], {'label': 'enough', 'text': 'two are enough'})
    near(document['t'], HITS[1], 1e-8)
    equal(document['values']['n'], 2)
    near(document['values']['v'], E*SPEEDS[1], 1e-6)
    near(document['outputs']['energy'], G*E**4, 1e-6)
    equal([e['label'] for e in document['events']],
          ['bounce', 'bounce', 'enough'])
    out = run(STOP).out
    contains(out, '(stopped)')
    contains(out, 'by enough: two are enough')
    table = rows(STOP, '--points', '6')[1]
    near(table[-1][0], HITS[1], 1e-8)
    near(table[-1][2], E*SPEEDS[1], 1e-6, 'the last row is behind it')
    equal(len([r for r in table if r[0] == table[-1][0]]), 2)


def test_expectations_of_a_stopped_run():
    # the end is where it stops; what lies behind it is not reached
    run(STOP + 'expect n == 2\nexpect n == 0 at 0.1\nexpect n <= 2 always\n')
    result = run(STOP + 'expect n == 3 at 1.9\n', status=1)
    contains(result.err, 'was not reached')
    contains(result.err, '`stop` ended the run at t = 1.17')


def test_prints_come_in_order():
    result = run(STEPS)
    equal(result.out.splitlines()[:3], ['on', 'off', 'and down'])
    equal(run(STEPS, '--quiet').out.splitlines(), ['on', 'off', 'and down'])
    for words in [('--json',), ('-o', '-')]:
        result = run(STEPS, *words)
        equal(result.err.splitlines()[:3], ['on', 'off', 'and down'])
        equal('and down' in result.out, False)
    # once, whatever else is run
    equal(run(STEPS, '--repeat', '3').out.count('and down'), 1)
    equal(run(STEPS, '--estimate-error').out.count('and down'), 1)
    equal('and down' in dae('test', 'm.dae', status=0).out, False)


def test_an_expectation_at_an_event_is_about_what_is_after_it():
    run(STEPS + 'expect u == 2 at 1\nexpect u == -1 at 3\n'
        'expect x ~ 2 within 1e-8 at 2\nexpect u == -1 at 5\n')
    result = run(STEPS + 'expect u == 0 at 1\n', status=1)
    contains(result.err, 'at t = 1 the left side is 2, the right side 0')
    # at the start as well, where initial(...) is of before
    run(STEPS.replace('t >= 1', 't > 0') + 'expect u == 2 at 0\n'
        'expect initial(u) == 0\nexpect x ~ 2*3 - 2 within 1e-8\n')


def test_always_sees_both_sides():
    for value, time in [('0', 1), ('2', 3)]:
        # u has this value before that time, and is something else after
        result = run(STEPS + f'expect u != {value} or t != {time} always\n',
                     status=1)
        contains(result.err, f't = {time}')
    for value, time in [('2', 1), ('-1', 3)]:
        result = run(STEPS + f'expect u != {value} or t != {time} always\n',
                     status=1)
        contains(result.err, f't = {time}')
    run(STEPS + 'expect u*u <= 4 always\nexpect u ~ initial(u) within 2 always\n')


def test_values_at_the_end_are_behind_an_event_there():
    document = run(STEPS.replace('0..5', '0..3'), '--json').json
    equal(document['status'], 'done')
    equal(document['values']['u'], -1)
    equal(len(document['events']), 2)
    table = rows(STEPS.replace('0..5', '0..3'), '--points', '4')[1]
    equal([(r[0], r[2]) for r in table],
          [(0, 0), (1, 0), (1, 2), (2, 2), (3, 2), (3, -1)])
    run(STEPS.replace('0..5', '0..3') + 'expect u == -1\n')
    # a little before its end there is none
    document = run(STEPS.replace('0..5', '0..2.999'), '--json').json
    equal((document['values']['u'], len(document['events'])), (2, 1))


def test_discrete_variables_are_drawn_and_followed():
    result = run(STEPS + 'plot u\n', '-o', 'u.svg', '--drift', 'u')
    contains(result.out, 'u.svg: 1 curve in 1 panel')
    contains(result.out, 'drift of u from 0: largest 2, at t = 1')
    with open('u.svg', encoding='utf-8') as file:
        equal(len(file.read()) > 1000, True)
    contains(run(STEPS, '-o', 'u.svg').out, '2 curves in 2 panels')
    result = run(STEPS, '--drift', 'w', status=2)
    contains(result.err, 'no unknown, discrete variable, let or output `w`')


def test_what_check_init_and_show_say():
    write('m.dae', BALL)
    out = dae('check', 'm.dae', status=0).out
    contains(out, 'discrete     n = 0')
    contains(out, 'switches     `x < 0` false')
    contains(out, 'events       bounce when `x < 0`: sets v, n')
    document = dae('check', 'm.dae', '--json', status=0).json
    equal(document['events'], {
        'discrete': {'n': 0},
        'switches': [{'text': 'x < 0', 'kind': 'below', 'domain': 'point',
                      'kink': False, 'value': 0}],
        'whens': [{'label': 'bounce', 'line': 8, 'condition': 'x < 0',
                   'assigns': ['v', 'n'], 'prints': [], 'stop': None}]})
    contains(dae('init', 'm.dae', status=0).out, 'switches    `x < 0` false')
    document = dae('init', 'm.dae', '--json', status=0).json
    equal(document['values'], {'x': 1, 'v': 0, 'n': 0})
    equal(document['events']['switches'][0]['value'], 0)
    out = dae('show', 'm.dae', '--events', status=0).out
    contains(out, 'x < 0  <  found on the step')
    out = dae('show', 'm.dae', '--equations', status=0).out
    contains(out, '\nevents\n  bounce: when x < 0\n    v := v*(-e)\n    n := n + 1\n')
    write('m.dae', STEPS)
    contains(dae('show', 'm.dae', '--equations', status=0).out,
             '  down: when 3 <= t\n    u := -1\n    print "off"\n    print "and down"\n')
    write('m.dae', "var x = 1\nx' = -x\n")
    contains(dae('show', 'm.dae', '--events', status=0).out, 'nothing switches')
    equal('events' in dae('check', 'm.dae', '--json', status=0).json, False)


PENDULUM = '''param g = 9.81
var x = 1, y ~ 0, u = 0, v ~ 0, lam ~ 0
discrete n = 0
x' = u
y' = v
u' = -lam*x
v' = -lam*y - g
x^2 + y^2 = 1
wall: when x < 0
  u := -0.5*u
  n := n + 1
end
solve t in 0..4, rtol = 1e-7
expect x^2 + y^2 ~ 1 within 1e-5 at 3.9
'''


# x = t - t^2 is at most 1/4, at 1/2, and every formula from order 2 on has it exactly
HUMP = '''var x = 0
x' = 1 - 2*t
solve t in 0..0.9
'''
SINE = '''var x = 0, v = 1
x' = v
v' = -x
solve t in 0..10
'''


def test_results_do_not_depend_on_output_times():
    texts = [(text, 0) for text in [BALL, STOP, STEPS, PENDULUM, MANY]]
    # near their bounds: every kind of expectation; the errors of SINE are about 1e-6
    for low in (False, True):
        top, off = (0.99999, 1e-9) if low else (1.0001, 1e-3)
        for line in (f'x < {top} always', f'{top} > abs(x) always',
                     f'x > -2 and x < {top} always', f'x ~ 0 within {top} always',
                     f'x ~ sin(t) within {off} always',
                     f'x ~ sin(t) within {off} at pi/3', f'x ~ sin(10) within {off}'):
            texts.append((SINE + f'expect {line}\n', int(low)))
    for text, status in texts:
        found = [run(text, '--json', *words, status=status).out for words in (
            (), ('--points', '2'), ('--points', '10'),
            ('--points', '500', '-o', 'a.csv'), ('--points', '20000', '-o', 'a.csv'),
            ('--every', '0.7'), ('--all-steps', '-o', 'a.csv'))]
        for k, out in enumerate(found):
            equal(out, found[0], f'{k}: {text}')
    found = [run(SINE, '--json', '--drift', 'x', '--points', points).out
             for points in ('2', '10', '500', '20000')]
    for out in found:
        equal(out, found[0], '--drift')


def test_always_where_a_step_is_none():
    """While it conducts rounding says on which side of the source it is, at the
    start too, so that steps to events are as short as rounding of the time."""
    path = os.path.join(ROOT, 'models/circuits/peak_detector.dae')
    for rtol in ('1e-6', '1e-8', '1e-10'):
        for atol in ('1e-8', '1e-10', '1e-12'):
            result = dae('run', path, '--json', '--rtol', rtol, '--atol', atol)
            # what does not come to its end says why: nothing is asked outside of a step
            told = [d for d in result.json.get('diagnostics', ())
                    if d['severity'] == 'error']
            equal(result.status != 2, True, (rtol, atol))
            equal(result.status == 0, not told, (rtol, atol))


def test_always_sees_the_peaks_between_points():
    for words in (), ('--points', '2'), ('--points', '9999'):
        for low in ('x < 0.25', 'x >= 0 and 0.25 > x', 'x ~ 0 within 0.25'):
            held = low.replace('0.25', '0.250001')
            run(HUMP + f'expect {held} always\n', *words)
            broken = low.replace('0.25', '0.249999')
            result = run(HUMP + f'expect {broken} always\n', *words, status=1)
            contains(result.err, f'`expect {broken} always` does not hold')
            equal(result.err.count('E0601'), 1)
        drift = run(HUMP, '--json', '--drift', 'x', *words).json['drift']['x']
        near(drift['largest'], 0.25, 1e-8, 'the peak')
        near(drift['at'], 0.5, 1e-3, 'where')
        near(drift['mean'], 0.18, 1e-3, 'by trapezoids')
    # the worst of what fails is told as well: v's modulus is 1 at 0
    text = HUMP.replace('solve', 'expect x ~ 0 within 0.1 always\nsolve')
    contains(run(text, '--points', '2', status=1).err, 'at most 0.25, at t = 0.5')
    # what touches its bound and does not pass it holds, by steps chosen or given
    for words in ((), ('--step', '0.125', '--method', 'trapezoid')):
        run(HUMP + 'expect x >= 0 always\nexpect x <= 0.25 + 1e-12 always\n', *words)
    # at fixed steps the formula's own points count, whatever is written
    for words in ((), ('--points', '9999')):
        run(HUMP + 'expect x < 0.245 always\n', '--step', '0.3', '--method', 'rk4', *words)


def test_steps_of_one_length_and_other_methods():
    # after a jump a multistep formula at fixed steps begins from points that are
    # found by an integration at tight tolerances from there
    for words, off in [(('--method', 'ndf'), 1e-6),
                       (('--method', 'bdf-flc'), 1e-6),
                       (('--step', '0.01'), 1e-9),
                       (('--method', 'rk4', '--step', '0.01'), 1e-9)]:
        document = run(BALL, '--json', *words).json
        equal(len(document['events']), 3, words)
        for k, e in enumerate(document['events']):
            near(e['t'], HITS[k], off, words)
        table = rows(BALL, '--points', '6', *words)[1]
        equal(len(table), 12, words)


def test_an_estimate_is_of_one_side():
    out = run(BALL, '--estimate-error').out
    contains(out, 'estimated error at the end')
    # it ends at the bounce, to a digit that differs between the runs
    text = BALL.replace('0..2', f'0..{HITS[1]:.9f}')
    text = text.replace('rtol = 1e-8', 'rtol = 1e-3').replace('1e-10', '1e-3')
    document = run(text, '--estimate-error', '--json').json
    estimate = document['error_estimate']
    equal(estimate['norm'] is None or abs(estimate['norm']) < 100, True)
    # stops have each their own end
    document = run(STOP, '--estimate-error', '--json').json
    near(document['error_estimate']['end'], 0, 1e-6)
    near(document['error_estimate']['differences']['v'], 0, 1e-5)


def test_kinks_of_data_are_step_ends_and_no_events():
    write('s.csv', 'time,u\n0,1\n1,2\n2,0\n3,5\n')
    text = ('var x = 0\ninput u = table("s.csv", x = "time", y = "u", interp = '
            '"linear")\nx\' = u + 1e-30*abs(t - 0.7)\nsolve t in 0..2.5\n')
    table = rows(text, '--points', '3')[1]
    equal([r[0] for r in table], [0, 1.25, 2.5])
    # areas: 1.5, 1.75*0.25/2*... by trapezoids up to the middle of a row
    near(table[1][1], 1.5 + 0.25*(2 + 1.5)/2, 1e-8)
    near(table[2][1], 1.5 + 1 + 0.5*(0 + 2.5)/2, 1e-8)
    equal(run(text, '--json').json['events'], [])
    times = [r[0] for r in rows(text, '--all-steps')[1]]
    equal(times, sorted(set(times)))
    for t in (0.7, 1.0, 2.0):
        equal(t in times, True, t)
    # they are counted: 0.7, 1 and 2
    equal(run(text, '--json').json['stats']['events'], 3)
    # a value that is held jumps, and has two sides
    text = text.replace('linear', 'hold').replace(
        '"hold")', '"hold")\nlet w = u')
    table = rows(text, '--points', '3')[1]
    equal([(r[0], r[2]) for r in table],
          [(0, 1), (1, 1), (1, 2), (1.25, 2), (2, 2), (2, 0), (2.5, 0)])
    # and is called after what the text calls it, not by all that is said of the file
    labels = [e['label'] for e in run(text, '--json').json['events']]
    equal(labels, ['row of u', 'row of u'])
    contains(dae('show', 'm.dae', '--events', status=0).out, 'row of u')
    run('var x = 0\nx\' = table("s.csv", x = "time", y = "u", interp = "hold")\n'
        'solve t in 0..1.5\n')
    labels = [e['label'] for e in dae('run', 'm.dae', '--json', status=0).json['events']]
    equal([label[:6] for label in labels], ['table('])


def test_what_ends_at_an_event_is_written_up_to_it():
    # it never gets beyond 1.35: the limit of a geometric series
    text = BALL.replace('0.8', '0.5').replace('0..2', '0..3')
    result = run(text, '--json', '-o', 'a.csv', '--points', '4', status=4)
    equal(result.json['status'], 'failed')
    limit = FALL*(1 + 2*0.5/(1 - 0.5))
    near(result.json['t'], limit, 1e-3)
    equal(len(result.json['events']) >= 10, True)
    for k, e in enumerate(result.json['events'][:8]):
        near(e['t'], FALL*(1 + 2*(1 - 0.5**k)), 1e-7, k)
    with open('a.csv', encoding='utf-8') as file:
        table = [[float(v) for v in r] for r in list(csv.reader(file))[1:]]
    times = [r[0] for r in table]
    equal(times, sorted(times))
    near(times[-1], result.json['t'], 1e-15)


def test_a_limit_between_events_leaves_what_there_is():
    result = run(MANY, '--json', '--max-steps', '100', '-o', 'a.csv', status=6)
    equal(result.json['status'], 'limit')
    n = result.json['values']['n']
    equal(len(result.json['events']), n)
    with open('a.partial.csv', encoding='utf-8') as file:
        last = list(csv.reader(file))[-1]
    near(float(last[0]), result.json['t'], 0)
    equal(float(last[2]), n)


def test_elements_and_units_of_discrete_variables():
    text = STEPS.replace('discrete u = 0', 'discrete u = 0 {m}, k[2, 2] = 3')
    text = text.replace('print "on"', 'k[2, 1] := 4')
    document = run(text, '--json').json
    equal(list(document['values']),
          ['x', 'u', 'k[1,1]', 'k[1,2]', 'k[2,1]', 'k[2,2]'])
    equal(document['values']['k[2,1]'], 4)
    equal(document['events'][0]['before']['k[2,1]'], 3)
    head, table = rows(text, '--points', '2')
    equal(head[1:], ['x', 'u', 'k[1,1]', 'k[1,2]', 'k[2,1]', 'k[2,2]'])
    contains(run(text).out, '  u       -1  m\n')


def test_a_point_beside_an_event_has_its_mode():
    text = ("var x = 1\ndiscrete k = 1\nx' = -k*x\nfast: when t >= 1\n"
            '  k := 50\nend\nsolve t in 0..3\n')
    write('m.dae', text)
    for t, rate in [(0, -1), (0.5, -1), (1, -50), (2, -50)]:
        document = dae('stability', 'm.dae', '--at', str(t), '--json',
                       status=0).json
        near(document['eigenvalues'][0]['re'], rate, 1e-9, t)


def test_a_mode_that_leaves_an_unknown_open_is_no_contradiction():
    """Values exist in the mode that is entered, one of them is anything: it is named."""
    for text, name in (("var x = 0, y\nx' = 1\n(if x < 1 then y - x else x - 1 + 0*y) = 0\n", 'y'),
                       ("var x = 0, y ~ 0, z ~ 0\nx' = y\ny + z = 1\n"
                        '(if x < 1 then y - z else y + z - 1) = 0\n', 'z')):
        write('m.dae', text + 'solve t in 0..5\n')
        told = dae('run', 'm.dae', '--json', status=4).json['diagnostics'][-1]
        equal(told['code'], 'E0502')
        contains(told['message'], f'does not determine `{name}`')


def test_backwards():
    text = STEPS.replace('t >= 1', 't <= 3').replace('t >= 3', 't <= 1')
    document = run(text.replace('0..5', '5..0'), '--json').json
    equal([(e['t'], e['label']) for e in document['events']],
          [(3, 'up'), (1, 'down')])
    near(document['values']['x'], -4 + 1, 1e-8)
    table = rows(text.replace('0..5', '5..0'), '--points', '6')[1]
    equal([r[0] for r in table], [5, 4, 3, 3, 2, 1, 1, 0])


def test_an_equation_that_an_event_empties_is_named():
    """And not one far away, whose pivot is the last."""
    text = ('var i1, i2, i3, P = 0\ndiscrete k = 1\nlaw: {}\ncopy: i2 = 3*i1\n'
            "sum3: i3 = i2 + i1\nenergy: P' = i3\ns: when t >= 1\n  k := 0\nend\n"
            'solve t in 0..2\n')
    write('m.dae', text.format('k*(i1 - sin(t) - 1) = 0'))
    told = dae('run', 'm.dae', status=4).err
    contains(told, 'error[E0502]: the iteration matrix is singular at t = 1 ')
    contains(told, '`law` determines nothing, as its derivatives by all unknowns are 0')
    contains(told, 'where a switch or a discrete variable takes the terms of `law` away, say what '
             'holds instead: `if ... then ... else ...`')
    write('m.dae', text.format('(if k > 0 then i1 - sin(t) - 1 else i1) = 0'))
    dae('run', 'm.dae', status=0)


ENERGY = "param k = 4, m = 1\nvar x = 0.5\n{}\nsolve t in 0..5\n"


def test_a_factor_that_vanishes_is_to_be_divided_by():
    """The derivative itself keeps the solution that rests: x'*(m*x'' + k*x) = 0."""
    write('m.dae', ENERGY.format("m*x'^2/2 + k*x^2/2 = 0.5\ninit x' ~ 1"))
    told = dae('run', 'm.dae', status=4).err
    contains(told, 'start at a nearby point, or differentiate the equation and divide by the factor '
             'that vanishes')
    contains(told, 'take smaller tolerances; where the derivative of `L3` has a factor that vanishes, write '
             'it without')
    write('m.dae', ENERGY.format("m*x'' + k*x = 0\ninit x' = 0"))
    near(dae('run', 'm.dae', '--json', status=0).json['values']['x'], 0.5*math.cos(10), 1e-4)


main(globals())
