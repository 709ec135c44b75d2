"""What an absolute tolerance hides: a second run at a millionth of it, and W0533 where the two
differ. Values beside which runs are wrong are those of runs at rtol 1e-10 by both methods."""

import os

from support import ROOT, contains, dae, equal, main, near, write

# deep troughs: p falls to 1e-3 and 1e-6 of its peak
TROUGH = """var p = 10, f = 5
p' = p*(1 - f)
f' = f*(p - 1)
solve t in 0..20
"""
# y stays near 1e-4 for half of the interval, and then jumps to 1
FLAME = """var y = 1e-4
y' = y^2 - y^3
solve t in 0..20000
"""
# falls to 0 and stays there, passes through 0, starts from 0: nothing is small for long before it grows
HARMLESS = """var a = 1, x = 1, v = 0, s = 0
a' = -a
x' = v
v' = -x
s' = 1 - s
solve t in 0..40
"""
ROBERTSON = os.path.join(ROOT, 'models', 'chemistry', 'robertson_ode_long.dae')
PREDATORS = os.path.join(ROOT, 'models', 'biology', 'predator_prey.dae')


def run(name, tolerance, *words):
    return dae('run', name, '--rtol', tolerance, '--atol', tolerance, '--no-times', *words)


def told(done):
    return [line for line in done.err.splitlines() if 'W0533' in line]


def test_an_error_of_a_trough_is_told():
    """The state that differs, both values, and a tolerance with which nothing is told."""
    write('m.dae', TROUGH)
    for method in 'bdf', 'radau':
        for tolerance in '1e-4', '1e-5':
            done = run('m.dae', tolerance, '--method', method)
            equal(len(told(done)), 1, f'{method} {tolerance}')
            contains(done.err, 'the absolute tolerance decides about `')
            atol = f'{1e-6*float(tolerance):.3g}'
            contains(done.err, f'` is small beside it: try `--atol {atol}`')
            done = dae('run', 'm.dae', '--rtol', tolerance, '--atol', atol, '--method', method, status=0)
            equal(told(done), [], f'{method} {tolerance}')


def test_the_values_that_are_told():
    write('m.dae', FLAME)
    done = run('m.dae', '1e-8')
    found, better = done.err.split('decides about `y`: ')[1].split(' tolerances')[0].split(', and ')
    t = float(found.split(' at t = ')[1])
    near(float(better.split(' with')[0]), dae('run', 'm.dae', '--rtol', '1e-10', '--atol', '1e-16', '--to',
                                              repr(t), '--json').json['values']['y'], 0.01)
    equal(abs(float(found.split(' at ')[0]) - float(better.split(' with')[0])) > 1e-3, True)


def test_what_is_small_all_the_time():
    """Where C has been made from nothing the equations grow without bound; B is below 4e-5."""
    done = run(ROBERTSON, '1e-3', '--method', 'radau')
    equal(len(told(done)), 1)
    contains(done.err, '`B` is small beside it')
    equal(told(dae('run', ROBERTSON)), [])


def test_a_let_of_a_small_unknown_is_told():
    """r[19] = 7.1e10*y[19] or so: below 2e-6 by runs at rtol 1e-10, and 3e3 wrong at 1e-3."""
    done = run(os.path.join(ROOT, 'models', 'chemistry', 'pollution.dae'), '1e-3')
    line, = told(done)
    contains(line, 'the absolute tolerance decides about `r[19]`')
    found, better = line.split('`r[19]`: ')[1].split(' tolerances')[0].split(', and ')
    near(float(better.split(' with')[0]), 1.7e-6, 0.1)
    equal(abs(float(found.split(' at ')[0])) > 1000, True)


def test_a_let_that_cancels_is_not_told():
    """p - q has three digits fewer than p and q by rtol, which the small x has no part in."""
    write('m.dae', """var p = 1e3, q = 1001, x = 1e-9
let d = p - q, more = 5*x
p' = -0.1*p*(1 + 0.5*sin(3*t))
q' = -0.1*q*(1 + 0.5*sin(3*t)) + 0.1
x' = 0.1*x
solve t in 0..40
""")
    for method in 'bdf', 'radau':
        for tolerance in '1e-3', '1e-5':
            done = run('m.dae', tolerance, '--method', method, '--stats')
            equal(told(done), [], f'{method} {tolerance}')
            contains(done.out, 'steps of the check of atol')


def test_nothing_is_told_of_what_is_right():
    write('m.dae', HARMLESS)
    for tolerance in '1e-2', '1e-4', '1e-8':
        document = run('m.dae', tolerance, '--json').json
        equal('diagnostics' in document or 'atol_check' in document, False, tolerance)
    for words in (), ('--method', 'radau'):
        equal(told(dae('run', PREDATORS, *words, status=0)), [])


def test_the_cost_is_told():
    write('m.dae', TROUGH)
    check = run('m.dae', '1e-4', '--json').json['atol_check']
    equal(check['difference'] > 1000 and 100 < check['steps'] < 1000, True)
    contains(run('m.dae', '1e-4', '--stats').out, f"steps of the check of atol  {check['steps']:>10}"[:27])


def test_no_result_changes():
    write('m.dae', TROUGH + 'when p > 5\n  print "many"\nend\n')
    results = [run('m.dae', '1e-4', '--check-atol', word, '--points', '50', '-o', '-')
               for word in ('auto', 'never')]
    equal([len(told(r)) for r in results], [1, 0])
    equal(results[0].out, results[1].out)
    equal(results[0].err.count('many\n'), results[1].err.count('many\n'))


def test_where_there_is_no_second_run():
    write('m.dae', TROUGH)
    for words in (('--check-atol', 'never'), ('--step', '0.01'), ('--error', 'global')):
        equal('atol_check' in run('m.dae', '1e-4', '--json', *words).json, False, words)
    equal('atol_check' in dae('run', 'm.dae', '--rtol', '0', '--atol', '1e-4', '--json').json, False)
    contains(dae('run', 'm.dae', '--check-atol', 'always', status=2).err, '--check-atol wants auto or never')


def test_a_second_run_that_fails_is_compared_as_far_as_it_came():
    """An epidemic that is held down until t = 15 and comes back; with logarithms as the
    unknowns S = 0.9946 and I = 0.0040 at the end. At an atol of 1e-9 it comes back early."""
    write('m.dae', """var S = 0.3, I = 0.33
S' = 0.2 - 2*S*I - 0.2*S
I' = 2*S*I - (if t < 15 then 5.7 else 0.7)*I
solve t in 0..60
""")
    done = dae('run', 'm.dae', status=0)
    contains(done.err, 'warning[W0533]: the absolute tolerance decides about `I`')
    contains(done.err, 'the logarithm of `I` as the unknown')


def test_a_second_run_at_its_limit_tells_nothing():
    """x*(1 - x) grows from what passes for 0 at atol 1e-3; the second run is at its limit of steps."""
    write('m.dae', TROUGH)
    done = run('m.dae', '1e-4', '--max-steps', '200', '--json')
    check = done.json['atol_check']
    equal((check['difference'], check['steps']), (None, 200))
    equal('diagnostics' in done.json, False)
    # nor of a let, which differs by 3e6 tolerances where the limit is further
    done = run(os.path.join(ROOT, 'models', 'chemistry', 'pollution.dae'), '1e-3', '--max-steps', '60', '--json')
    equal(done.json['status'], 'done')
    equal([d for d in done.json['diagnostics'] if d['code'] == 'W0533'], [])
    equal(done.json['atol_check']['steps'], 60)


if __name__ == '__main__':
    main(globals())
