"""`dae check`: its document key by key, its exit status, its text, and `dae show
--structure`. What it finds in many models is in check_cases_test.py; whole
reports are in tests/report (check_report_test.py)."""

import json
import math
import os
import re
import subprocess
import xml.etree.ElementTree

from picture_files import read_png
from support import DAE, ROOT, contains, dae, equal, main, near, write

# L = 1, at rest beside the lowest point: y and v follow from the rod. The rod
# twice differentiated, with u' and v', gives lam = g*y/2 where the speed is 0.
PENDULUM = '''"Pendulum"
param L = 1, g = 9.81
var x = 0.6, y ~ 0.8, u = 0, v ~ 0, lam ~ 1
x' = u
y' = v
u' = -2*lam*x
v' = g - 2*lam*y
rod: x^2 + y^2 = L^2
'''

# c2 = gamma, c1 = gamma + gamma'/a: 1 and 2 at t = 0
TANK = '''param a = 0.5
var c1 ~ 1, c2 ~ 1
input gamma = 1 + sin(t)/2
balance: c2' = a*(c1 - c2)
outlet: c2 = gamma
'''

# c3 = gamma, c2 = gamma' = 0.5, c1 = gamma'' = 0 at t = 0
CHAIN = '''input gamma = 1 + sin(t)/2
var c1 ~ 0, c2 ~ 0, c3 ~ 1
rate2: c2' = c1
rate3: c3' = c2
measured: c3 = gamma
'''

DECAY = "var x = 1\nx' = -x\n"

KEYS = ['model', 'equations', 'unknowns', 'structure', 'hidden_constraints',
        'initial', 'seconds']
STRUCTURE = {'regular': bool, 'index': int, 'structural_index': int,
             'certified': bool, 'repairs': list, 'zeros': list, 'high_index': bool,
             'degrees_of_freedom': int, 'equation_offsets': dict,
             'variable_offsets': dict, 'blocks': list,
             'singular': type(None)}
INITIAL = {'verdict': str, 'degrees_of_freedom': int, 'given': list,
           'redundant': list, 'conflicts': list, 'missing': int,
           'could_fix': list, 'values': dict, 'derivatives': dict,
           'undetermined': list, 'residual': (int, float)}


def check(text, status, *words):
    write('m.dae', text)
    return dae('check', 'm.dae', *words, status=status)


def document(text, status, *words):
    d = check(text, status, '--json', *words).json
    equal(list(d)[:len(KEYS)], KEYS, 'keys')
    return d


def excludes(text, *parts):
    for part in parts:
        equal(part in text, False, f'{part!r} in {text!r}')


def typed(d, types, what):
    equal(list(d), list(types), f'keys of {what}')
    for key, expected in types.items():
        if not isinstance(d[key], expected) or \
                expected is int and isinstance(d[key], bool):
            raise AssertionError(f'{what}.{key} is {d[key]!r}')


# ---- the document ---------------------------------------------------------------

def test_document_of_a_pendulum():
    d = document(PENDULUM, 0)
    equal([d['model'], d['equations'], d['unknowns']], ['m', 5, 5])
    s = d['structure']
    typed(s, STRUCTURE, 'structure')
    equal([s['regular'], s['index'], s['structural_index'], s['certified'],
           s['high_index'], s['degrees_of_freedom'], s['repairs']],
          [True, 3, 3, True, True, 2, []])
    equal(s['equation_offsets'],
          {'L4': 1, 'L5': 1, 'L6': 0, 'L7': 0, 'rod': 2})
    equal(list(s['equation_offsets']), ['L4', 'L5', 'L6', 'L7', 'rod'])
    equal(s['variable_offsets'], {'x': 2, 'y': 2, 'u': 1, 'v': 1, 'lam': 0})
    equal(list(s['variable_offsets']), ['x', 'y', 'u', 'v', 'lam'])
    equal(len(s['blocks']), 1)
    block = s['blocks'][0]
    equal(list(block), ['equations', 'unknowns', 'index',
                        'degrees_of_freedom'])
    equal(set(block['equations']), {'L4', 'L5', 'L6', 'L7', 'rod'})
    equal(set(block['unknowns']), {'x', 'y', 'u', 'v', 'lam'})
    equal([block['index'], block['degrees_of_freedom']], [3, 2])


def test_high_is_above_one():
    for text, index in ((DECAY, 0), ("var x = 1, y\nx' = -y\ny = x\n", 1),
                        (TANK, 2)):
        s = document(text, 0)['structure']
        equal([s['index'], s['high_index']], [index, index > 1])


def test_hidden_constraints_of_a_pendulum():
    hidden = document(PENDULUM, 0)['hidden_constraints']
    equal({(h['equation'], h['differentiated'], h['line']) for h in hidden},
          {('L4', 1, 4), ('L5', 1, 5), ('rod', 1, 8), ('rod', 2, 8)})
    by_name = {(h['equation'], h['differentiated']): h for h in hidden}
    equal(by_name['rod', 1]['restricts_start'], True)
    equal(by_name['rod', 1]['determines'], None)
    equal(by_name['rod', 2]['restricts_start'], False)
    equal(by_name['rod', 2]['determines'], 'lam')
    for h in hidden:
        contains(h['text'], '=')


def test_start_of_a_pendulum():
    i = document(PENDULUM, 0)['initial']
    typed(i, INITIAL, 'initial')
    equal([i['verdict'], i['degrees_of_freedom'], i['given'], i['redundant'],
           i['conflicts'], i['missing'], i['undetermined']],
          ['consistent', 2, ['x', 'u'], [], [], 0, []])
    equal(list(i['values']), ['x', 'y', 'u', 'v', 'lam'])
    for name, value in [('x', 0.6), ('y', 0.8), ('u', 0), ('v', 0),
                        ('lam', 3.924)]:
        near(i['values'][name], value, 1e-9, name)
    for name, value in [("x'", 0), ("y'", 0), ("u'", -4.7088),
                        ("v'", 3.5316), ("x''", -4.7088), ("y''", 3.5316)]:
        near(i['derivatives'][name], value, 1e-9, name)


def test_tank_and_chain():
    d = document(TANK, 0)
    s = d['structure']
    equal([s['index'], s['degrees_of_freedom'], s['certified']], [2, 0, True])
    equal(s['equation_offsets'], {'balance': 0, 'outlet': 1})
    equal(s['variable_offsets'], {'c1': 0, 'c2': 1})
    equal([(b['equations'], b['unknowns']) for b in s['blocks']],
          [(['outlet'], ['c2']), (['balance'], ['c1'])])
    equal([(h['equation'], h['line'], h['differentiated'])
           for h in d['hidden_constraints']], [('outlet', 5, 1)])
    near(d['initial']['values']['c1'], 2, 1e-9)
    near(d['initial']['values']['c2'], 1, 1e-9)
    d = document(CHAIN, 0)
    equal([d['structure'][k] for k in ('index', 'degrees_of_freedom')], [3, 0])
    equal(d['structure']['equation_offsets'],
          {'rate2': 0, 'rate3': 1, 'measured': 2})
    for name, value in [('c1', 0), ('c2', 0.5), ('c3', 1)]:
        near(d['initial']['values'][name], value, 1e-9, name)


def test_a_start_that_contradicts():
    # measured' says c2(0) = gamma'(0) = 0.5
    d = document(CHAIN.replace('c2 ~ 0', 'c2 = 0'), 1)
    i = d['initial']
    equal(i.pop('proved'), True)
    typed(i, INITIAL, 'initial')
    equal(i['verdict'], 'inconsistent')
    parties = {c['name']: c for c in i['conflicts']}
    equal(parties['c2']['line'], 2)
    equal('differentiated' in parties['c2'], False)
    near(parties['c2']['wanted'], 0.5, 1e-9, 'what the others ask for')
    equal(['residual' in parties['c2'], 'wanted' in parties['measured']],
          [False, False])
    equal(parties['measured']['line'], 5)
    equal(parties['measured']['differentiated'], 1)
    equal([e['code'] for e in d['diagnostics'] if e['severity'] == 'error'],
          ['E0401'])


def test_too_few_conditions():
    d = document("var x = 1, y ~ 2\nx' = -x\ny' = x\n", 1)
    i = d['initial']
    equal([i['verdict'], i['missing'], i['could_fix'], i['given']],
          ['underdetermined', 1, ['y'], ['x']])
    equal(d['structure']['degrees_of_freedom'], 2)
    equal(i['values'], {'x': 1, 'y': 2})


def test_redundant_conditions():
    i = document(PENDULUM.replace('y ~ 0.8', 'y = 0.8'), 0)['initial']
    equal([i['verdict'], i['given']], ['consistent', ['x', 'y', 'u']])
    equal(len(i['redundant']), 1)
    equal(i['redundant'][0] in ('x', 'y'), True)


def test_no_start_is_found():
    # there is no real x
    d = document("var x ~ 1, y = 0\ny' = x\nx^2 = -1 - y^2\n", 4)
    equal(d['initial']['verdict'], 'unsolved')
    equal(d['structure']['index'], 1)
    equal('E0402' in [e['code'] for e in d['diagnostics']], True)


def test_general_conditions_are_given():
    i = document("var x, y\nx' = y\ny' = -x\ninit x + y = 3, x - y = 1\n",
                 0)['initial']
    equal([i['verdict'], len(i['given'])], ['consistent', 2])
    near(i['values']['x'], 2, 1e-9)
    near(i['values']['y'], 1, 1e-9)


def test_set_and_from():
    i = document(TANK, 0, '--set', 'a=0.25', '--from', '1')['initial']
    near(i['values']['c2'], 1.4207354924039484, 1e-9)  # 1 + sin(1)/2
    near(i['values']['c1'], 2.5013401041402282, 1e-9)  # ... + 2*cos(1)


# ---- singular structures ----------------------------------------------------------

def singular(text):
    d = document(text, 3)
    typed({k: v for k, v in d['structure'].items()
           if k in ('regular', 'certified', 'high_index', 'blocks')},
          {'regular': bool, 'certified': bool, 'high_index': bool,
           'blocks': list}, 'structure')
    equal(list(d['structure']), list(STRUCTURE))
    equal([d['structure']['regular'], d['structure']['index'],
           d['structure']['structural_index'],
           d['structure']['degrees_of_freedom'], d['hidden_constraints'],
           d['initial']], [False, None, None, None, [], None])
    return d


def test_energy_alone():
    d = singular(
        "var x[3], y[3], z[3]\nenergy: sum(x[i]'^2 + y[i]'^2 + z[i]'^2 "
        "for i in 1..3) + sum(x[i]*y[i]*z[i] for i in 1..3) = 1\n")
    equal([d['equations'], d['unknowns']], [1, 9])
    parts = d['structure']['singular']
    equal(parts['overdetermined'], {'equations': [], 'unknowns': []})
    under = parts['underdetermined']
    equal(under['equations'], [{'name': 'energy', 'line': 2}])
    equal({u['name'] for u in under['unknowns']},
          {f'{n}[{i}]' for n in 'xyz' for i in (1, 2, 3)})
    equal({u['line'] for u in under['unknowns']}, {1})
    contains(d['diagnostics'][0]['message'],
             '1 equation for 9 unknowns, 8 equations are missing')


def test_both_parts():
    parts = singular("var x, y, z\nx' = -x\na: 2*x = x^2 + 1\n"
                     "b: y + z = x\n")['structure']['singular']
    equal(parts['overdetermined'],
          {'equations': [{'name': 'L2', 'line': 2}, {'name': 'a', 'line': 3}],
           'unknowns': [{'name': 'x', 'line': 1}]})
    equal(parts['underdetermined'],
          {'equations': [{'name': 'b', 'line': 4}],
           'unknowns': [{'name': 'y', 'line': 1}, {'name': 'z', 'line': 1}]})


def test_singular_for_these_params():
    # with a = 0 both equations are about x alone
    text = "param a = 0\nvar x = 1, y ~ 1\nx' = -x\nc: a*y = 1 - x^2\n"
    d = document(text, 3)
    equal([d['equations'], d['unknowns'], d['structure']['regular'],
           d['structure']['index']], [2, 2, False, None])
    equal(d['structure']['singular'],
          {'overdetermined': {
              'equations': [{'name': 'L3', 'line': 3},
                            {'name': 'c', 'line': 4}],
              'unknowns': [{'name': 'x', 'line': 2}]},
           'underdetermined': {
               'equations': [], 'unknowns': [{'name': 'y', 'line': 2}]}})
    equal([e['code'] for e in d['diagnostics']], ['E0302'])
    equal(document(text, 0, '--set', 'a=2')['structure']['index'], 1)


def test_what_the_value_of_a_param_takes_away():
    text = 'param C = 0\nvar v, i\nnode: C*v\' = i - v\ni = sin(t)\n'
    structure = document(text, 0)['structure']
    equal([structure['index'], structure['zeros']],
          [1, [{'equation': 'node', 'unknown': "v'", 'by_param': True}]])
    contains(check(text, 0).out, "factor 0     v' in node (line 3): for this value of a param")
    other = document(text, 1, '--set', 'C=1')['structure']
    equal([other['index'], other['zeros']], [1, []])
    equal(other['degrees_of_freedom'], 1)
    # x occurs in `a` whatever k is: nothing changes
    same = "param k = 0\nvar x = 1, y\na: y' = -y + k*x\nx' = -x\ninit y = 2\n"
    equal(document(same, 0)['structure']['zeros'], [])


def test_terms_that_cancel_are_no_params_fault():
    text = ('var x, y, d\nx = cos(t)\ny = sin(t)\n'
            'd*(x + 3) - d*x - 3*d + x^2 + y^2 = 1\n')
    report = check(text, 3)
    equal(report.out.splitlines()[0], 'm: the model is structurally singular')
    excludes(report.out + report.err, 'parameter', 'param')


def test_an_index_that_is_not_known():
    text = ("param n = 320\nvar x[n], s\n"
            "a: x[i]' - x[mod(i, n) + 1]' = -i*x[i] + s for i in 1..n\n"
            "s = x[1]\n")
    report = check(text, 0).out
    equal(report.splitlines()[0], 'm: index not known')
    contains(report, 'index        not known; by structure alone 1, refuted by numbers')
    contains(report, 'freedom      not known; by structure alone 320')
    excludes(report, '-1', 'missing')
    d = document(text, 0)
    equal([d['structure']['index'], d['structure']['degrees_of_freedom'], d['initial']],
          [None, None, None])


def test_factors_that_vary_are_not_looked_for():
    text = "var x=1, y=2, z\nA: y*x' + z' = x\nB: y^2*x' + y*z' = z\nC: y' = -y\n"
    report = check(text, 0).out
    contains(report, 'index        1, confirmed by numbers: by the ranks')
    excludes(report, 'repaired', 'hidden constraints')


def test_both_sides_have_places():
    report = check("var x = 1, y, z\nx' = -x\nx = sin(t)\ny' = -y\n", 3)
    contains(report.err, '`z`: it occurs in no equation')
    contains(report.err, '`L2` is one of 2 equations for only `x`')
    contains(report.err, '`L3` is one of 2 equations for only `x`')


def test_what_does_not_compile():
    d = document("var x\nx' = z\n", 3)
    equal([d['equations'], d['unknowns'], d['structure'],
           d['hidden_constraints'], d['initial']],
          [None, None, None, [], None])
    equal(d['diagnostics'][0]['code'], 'E0201')
    contains(check("var x\nx' = z\n", 3).out, 'm: the model is wrong, 1 error')


# ---- exit status, options -----------------------------------------------------------

def test_exit_status():
    check(DECAY, 0)
    check(DECAY.replace('x = 1', 'x ~ 1'), 1)
    check(DECAY + 'y = 1\n', 3)
    check('var x = 1\nx\' = \n', 3)
    dae('check', 'nowhere.dae', status=5)
    dae('check', status=2)
    dae('check', 'm.dae', 'm.dae', status=2)
    check(DECAY, 2, '--to', '3')
    check(DECAY, 2, '-o', 'x.csv')
    check(DECAY, 2, '--set', 'q=1')


def test_a_kink_that_is_differentiated():
    d = document(CHAIN.replace('1 + sin(t)/2', 'abs(sin(t) - 0.3)'), 3)
    equal([e['code'] for e in d['diagnostics']
           if e['severity'] == 'error'], ['E0303'])
    equal(d['structure']['index'], 3)


def test_strict():
    text = DECAY.replace('x = 1', 'x ~ 1')
    for words, severity in [([], 'warning'), (['--strict'], 'error')]:
        d = document(text, 1, *words)
        equal([(e['code'], e['severity']) for e in d['diagnostics']],
              [('W0404', severity)])


def test_standard_input():
    r = dae('check', '-', stdin=DECAY, status=0)
    contains(r.out.splitlines()[0], 'stdin: consistent')
    equal(dae('check', '-', '--json', stdin=DECAY, status=0).json['model'],
          'stdin')


def test_the_same_bytes_twice():
    for text, status in [(PENDULUM, 0), (DECAY + 'y = 1\n', 3)]:
        for words in [['--json', '--no-times'], [], ['--verbose']]:
            first = check(text, status, *words)
            second = check(text, status, *words)
            equal(first.out, second.out)
            equal(first.err, second.err)


def test_times():
    seconds = document(DECAY, 0)['seconds']
    equal(list(seconds), ['compile', 'analyse', 'initialize', 'total'])
    equal(all(isinstance(v, (int, float)) and v >= 0
              for v in seconds.values()), True)
    write('m.dae', DECAY)
    equal('seconds' in dae('check', 'm.dae', '--json', '--no-times').json,
          False)


def test_the_order_of_lines():
    lines = PENDULUM.rstrip('\n').split('\n')
    first = document(PENDULUM, 0)
    for order in [[0, 1, 2, 7, 6, 5, 4, 3], [0, 3, 5, 7, 4, 6, 1, 2]]:
        d = document('\n'.join(lines[k] for k in order) + '\n', 0)
        for key in ('index', 'degrees_of_freedom', 'certified',
                    'variable_offsets'):
            equal(d['structure'][key], first['structure'][key], key)
        equal(d['initial']['verdict'], 'consistent')
        for name, value in first['initial']['values'].items():
            near(d['initial']['values'][name], value, 1e-9, name)


# ---- expectations -----------------------------------------------------------------------

def test_expected_index_and_freedom():
    right = 'expect index == 3\nexpect dof == 2\n'
    wrong = 'expect index == 2\nexpect dof == 3\n'
    contains(check(PENDULUM + right, 0).out, '2 expectations hold')
    r = check(PENDULUM + wrong, 1)
    equal(r.err.count('E0601'), 2)
    contains(r.err, 'm.dae:9:1')
    contains(r.err, 'the index is 3')
    contains(r.err, 'the number of degrees of freedom is 2')
    write('m.dae', PENDULUM + right)
    contains(dae('test', 'm.dae', status=0).out, 'pass')
    write('m.dae', PENDULUM + wrong)
    contains(dae('test', 'm.dae', status=1).out, 'FAIL')


def test_expected_index_in_a_run():
    text = DECAY + 'solve t in 0..1\nexpect index == 0\nexpect dof == 1\n'
    write('m.dae', text)
    contains(dae('run', 'm.dae', status=0).out, '2 expectations hold')
    dae('test', 'm.dae', status=0)
    write('m.dae', text.replace('dof == 1', 'dof == 0'))
    contains(dae('run', 'm.dae', status=1).err, 'E0601')
    dae('test', 'm.dae', status=1)


def test_expected_codes():
    text = "var x, y\nx' = -x\nexpect \"E0301\"\n"
    check(text, 3)
    dae('test', 'm.dae', status=0)
    kink = CHAIN.replace('1 + sin(t)/2', 'abs(sin(t) - 0.3)')
    check(kink + 'expect "E0303"\n', 3)
    dae('test', 'm.dae', status=0)
    check(kink + 'solve t in 0..1\nexpect "E0303"\n', 3)
    dae('test', 'm.dae', status=0)
    r = check(DECAY + 'expect "E0401"\n', 1)
    contains(r.err, 'E0401 did not arise')
    dae('test', 'm.dae', status=1)
    # a run alone could tell
    check(DECAY + 'expect "E0501"\nsolve t in 0..1\n', 0)


def test_values_without_an_end():
    write('m.dae', DECAY + 'expect x > 0\n')
    r = dae('test', 'm.dae', status=1)
    contains(r.out, 'not checked')
    contains(r.err, 'N0602')
    write('m.dae', DECAY)
    contains(dae('test', 'm.dae', status=0).out, 'no expectations')
    equal('N0602' in check(DECAY + 'expect x > 0\n', 0).err, False)


# ---- text ----------------------------------------------------------------------------------

def test_reading_order():
    r = check(PENDULUM, 0)
    equal(r.out.splitlines()[0],
          'm: consistent, index 3, 2 degrees of freedom')
    at = [r.out.index(part) for part in
          ('m: ', '\nequations', '\nindex', '`rod` is differentiated twice '
           'before', '\nfreedom', '\nhidden constraints', '\nstart at t = 0',
           'given', 'x = 0.6')]
    equal(at, sorted(at))
    equal("L4'" in r.out, False, 'what follows along is not shown')
    equal(max(len(line) for line in r.out.splitlines()) <= 100, True)
    verbose = check(PENDULUM, 0, '--verbose').out
    for part in ("L4'", 'offsets', '1 block, in the order of evaluation'):
        contains(verbose, part)
    equal(check(PENDULUM, 0, '--quiet').out, '')


def test_first_lines():
    for text, status, line in [
            (DECAY, 0, 'm: consistent, index 0, 1 degree of freedom'),
            (TANK, 0, 'm: consistent, index 2, no degrees of freedom'),
            (DECAY.replace('=', '~', 1), 1, 'm: the initial conditions are '
             'too few, 1 more is needed, index 0, 1 degree of freedom'),
            (CHAIN.replace('c2 ~', 'c2 ='), 1, 'm: the initial conditions '
             'are inconsistent, index 3, no degrees of freedom'),
            ('var x, y\nx\' = y\n', 3, 'm: the model has 1 equation for 2 '
             'unknowns, 1 equation is missing'),
            ('var x, y\nx\' = 1\nx = y\ny = 2\n', 3, 'm: the model has 3 '
             'equations for 2 unknowns, 1 equation too many'),
            ('var x, y, z\nx\' = -x\nx = 2\nx = y + z\n', 3,
             'm: the model is structurally singular')]:
        equal(check(text, status).out.splitlines()[0], line)


def test_conditions_are_shown_with_their_text():
    text = "var x, y\nx' = y\ny' = -x\ninit x + y = 3, x - y = 1\n"
    contains(check(text, 0).out,
             'init L4 `x + y = 3` and init L4:2 `x - y = 1`')
    conflict = check(text + 'init x = 5\n', 1).out.split('conflict')[1]
    contains(conflict, 'init L4 `x + y = 3` ')
    contains(conflict, 'init L4:2 `x - y = 1` ')


def test_decimals_that_cancel_leave_no_term():
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in doubles
    out = check("var x = 0, y ~ 0, p ~ 0\nx' = p\ny' = p - y\n"
                'c: 0.1*(x - y) + 0.2*(x - y) - 0.3*(x + y) + y = sin(t)\n', 0).out
    contains(out, "c'      0.4*y' = cos(t)")


def test_noise_reads_as_zero_in_the_text():
    text = "var x = 1, y, z\nx' = -x\ny = 1e-20*x\nz = 1e-13*x\n"
    contains(check(text, 0).out, 'y = 0, z = 1e-13')
    near(document(text, 0)['initial']['values']['y'], 1e-20, 1e-6)
    # where all is small it is no noise
    contains(check(text.replace('x = 1', 'x = 1e-20'), 0).out, 'z = 1e-33')


def test_what_is_shown_of_many_values():
    text = "param n = 30\nvar x[n] = 1, z[2], f\n" \
           "x[i]' = -x[i]*f for i in 1..n\n" \
           "z[i] = 2*x[i] for i in 1..2\nf = 3\n"
    contains(check(text, 0).out,
             "found      z[1] = 2, z[2] = 2, f = 3, x[1]' = -3")


def test_redundant_models_keep_the_structural_answers():
    text = "var x, y, l, m, u = 0, v\nx' = u\ny' = v\nu' = -x*l - x*m\n" \
           "v' = -y*l - y*m - 9.81\nx^2 + y^2 = 1\n2*x^2 + 2*y^2 = 2\n" \
           "init x = 0.6, y ~ 0.8\n"
    # c = (1, 1, 0, 0, 2, 2), d = (2, 2, 0, 0, 1, 1): six less six
    r = check(text, 0)
    contains(r.out, 'index        none; by structure alone 3')
    contains(r.out, 'freedom      not known; by structure alone 0')


def test_an_index_that_the_start_does_not_confirm():
    r = check("var x = 1\ninit x' ~ 0\nx'^2/2 + 2*x^2 = 2\n", 0)
    equal(' '.join(r.out.split('\n\n')[0].split()), 'm: consistent, but singular '
          'at the start, index 0 (not confirmed at the start), 1 degree of '
          'freedom')


def test_each_text_is_underlined_once():
    # the last one is the sum of the two of the loop
    text = "var x = 1, l[3]\nx' = -x\n" \
           "pair: l[i] + l[i+1] = x for i in 1..2\n" \
           "both: l[1] + 2*l[2] + l[3] = 2*x\n"
    r = check(text, 0)
    contains(r.err, 'W0305')
    equal(r.err.count('dependent equation'), 1, r.err)


def test_an_index_without_a_range():
    r = check("var x[3] = 1\nx[i]' = -x[i]\n", 3)
    contains(r.err, '`i` is not declared')
    contains(r.err, '`for i in 1..n` behind the equation')
    contains(check("var x = 1\nx' = -i\n", 3).err, 'declare it: `var i`')


def test_what_to_give():
    for text, help in [
            ("var x\nx' = -x\n", 'give `x` a value'),
            ("var x, v\nx' = v\nv' = -x\n", 'give each of `x`, `v` a value'),
            ("var x, y\nx' + y' = -x\nx + 2*y = 1\n",
             'give one of `x`, `y` a value')]:
        contains(check(text, 1).err, 'help: ' + help + ': `=`')


def test_long_lists_are_cut():
    text = "param n = 3000\nvar x[n] = 1, z[n] ~ 0\nx[i]' = -x[i] " \
           "for i in 1..n\nz[i] = x[i] for i in 1..n\n"
    r = check(text, 0)
    equal(len(r.out.splitlines()) < 40, True)
    contains(r.out, 'and 2992 more')
    r = check(text, 0, '--verbose')
    contains(r.out, 'and 5000 more')
    d = document(text, 0)
    equal(len(d['structure']['equation_offsets']), 6000)
    equal(len(d['structure']['blocks']), 6000)


# ---- show --structure -------------------------------------------------------------------------

def test_structure_as_text():
    write('m.dae', TANK)
    lines = dae('show', 'm.dae', '--structure', status=0).out.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line}
    # in the order of evaluation; an entry outside of the blocks is no dot
    equal(rows['outlet'], ['(0)', '1'])
    equal(rows['balance'], ['1', '(0)', '0'])
    equal(rows['d'], ['1', '0'])
    equal([k for k in rows if k in ('outlet', 'balance', 'd')],
          ['outlet', 'balance', 'd'])
    contains('\n'.join(lines), 'c2')


def test_structure_tells_of_repairs():
    # f2 - f1' = y + cos(t)
    write('m.dae', "param eta = 1\nvar x, y\nf1: x + eta*t*y = sin(t)\n"
          "f2: x' + eta*t*y' + (1 + eta)*y = 0\nsolve t in 0.5..1\n")
    out = dae('show', 'm.dae', '--structure', status=0).out
    contains(out, 'the equations as they stand; `dae check` repairs them')
    contains(out, "f1' - f2 contains no derivative")
    write('m.dae', TANK)
    equal('repairs' in dae('show', 'm.dae', '--structure', status=0).out,
          False)


def test_structure_of_many_as_text():
    write('m.dae', 'param n = 41\nvar x[n] = 1\n'
          "x[i]' = -x[i] for i in 1..n\n")
    contains(dae('show', 'm.dae', '--structure', status=6).err, '-o FILE.svg')
    dae('show', 'm.dae', '--structure', '--set', 'n=40', status=0)
    # a wrong --set is wrong use, whatever is listed
    dae('show', 'm.dae', '--set', 'absent=40', status=2)


def svg(text, *words):
    write('m.dae', text)
    dae('show', 'm.dae', '--structure', '-o', 'm.svg', *words, status=0)
    with open('m.svg', encoding='utf-8') as file:
        picture = file.read()
    root = xml.etree.ElementTree.fromstring(picture)
    equal(root.tag, '{http://www.w3.org/2000/svg}svg')
    return picture, root


def test_structure_as_picture():
    picture, root = svg(PENDULUM)
    texts = [t.text for t in root.iter('{http://www.w3.org/2000/svg}text')]
    for name in ('rod', 'lam', 'L4', 'c', 'd'):
        equal(name in texts, True, name)
    equal(len(list(root.iter('{http://www.w3.org/2000/svg}circle'))), 5)
    equal(picture, svg(PENDULUM)[0])
    # names are escaped, whatever they hold
    svg('var x = 1\n"<&>": x\' = -x\n'.replace('"<&>": ', ''))


def count_pixels(name, colour):
    return sum(pixel[:3] == colour for row in read_png(name) for pixel in row)


def test_structure_as_other_files():
    """gnuplot draws what the SVG has, in twice the points: five rings of radius 9,
    1.5 wide, in red; a frame filled with light blue."""
    picture, _ = svg(PENDULUM)
    words = ('show', 'm.dae', '--structure', '-o')
    dae(*words, 'm.png', status=0)
    width, height = map(int, re.search(r'width="(\d+)" height="(\d+)"',
                                       picture).groups())
    rows = read_png('m.png')
    equal((len(rows[0]), len(rows)), (2*width, 2*height))
    rings = 5*2*3.14159*9*1.5*4
    near(count_pixels('m.png', (0xc0, 0x30, 0x28)), rings, 0.5*rings, 'rings')
    x, y, side = map(int, re.search(r'<rect x="(\d+)" y="(\d+)" width="(\d+)" '
                                    r'height="\d+" fill="#e8eef6"',
                                    picture).groups())
    blue = count_pixels('m.png', (0xe8, 0xee, 0xf6))
    equal(2*side*side < blue < 4*side*side, True, (blue, side))
    # and where it is
    equal(rows[2*y + 6][2*x + 6][:3], (0xe8, 0xee, 0xf6))
    equal(rows[2*y - 6][2*x - 6][:3], (0xff, 0xff, 0xff))
    # letters to the left of it, and above
    for part in ([row[:2*x - 6] for row in rows], rows[:2*y - 6]):
        equal(sum(sum(p[:3]) < 200 for row in part for p in row) > 50, True)
    dae(*words, 'm.pdf', status=0)
    with open('m.pdf', 'rb') as file:
        first = file.read()
    equal((first[:5], b'%%EOF' in first[-32:]), (b'%PDF-', True))
    for name in ('m.png', 'm.pdf'):
        with open(name, 'rb') as file:
            before = file.read()
        dae(*words, name, status=0)
        with open(name, 'rb') as file:
            equal(file.read() == before, True, f'{name} again')
    # without gnuplot
    write('m.dae', "var x = 1\nx' = -x\nsolve t in 0..1\n")
    os.makedirs('empty', exist_ok=True)
    environment = dict(os.environ, PATH=os.path.abspath('empty'))
    found = subprocess.run([DAE, *words, 'n.png'], env=environment,
                           stderr=subprocess.PIPE, timeout=60)
    equal(found.returncode, 5)
    contains(found.stderr.decode(), 'error[E0006]')
    equal(os.path.exists('n.png'), False)
    equal(subprocess.run([DAE, *words, 'n.svg'], env=environment,
                         timeout=60).returncode, 0)


def test_the_picture_of_the_page():
    command = ('show', 'models/mechanics/pendulum.dae', '--structure', '-o')
    picture = 'docs/pictures/structure_pendulum.svg'
    with open(os.path.join(ROOT, 'docs/structure.md'), encoding='utf-8') as file:
        text = file.read()
    contains(text, f'dae {" ".join(command)} {picture}\n')
    contains(text, '](pictures/structure_pendulum.svg)')
    dae('show', os.path.join(ROOT, command[1]), '--structure', '-o', 'm.svg',
        status=0)
    with open('m.svg', encoding='utf-8') as a, open(
            os.path.join(ROOT, picture), encoding='utf-8') as b:
        equal(a.read(), b.read())


def test_picture_of_many():
    heat = ("param n = 100\nvar T[i in 0..n+1, j in 0..n+1] = 0\n"
            "T[i,j]' = T[i-1,j] + T[i+1,j] + T[i,j-1] + T[i,j+1] - 4*T[i,j] "
            "for i in 1..n, j in 1..n\n"
            "T[0,j]' = 0 for j in 0..n+1\nT[n+1,j]' = 0 for j in 0..n+1\n"
            "T[i,0]' = 0 for i in 1..n\nT[i,n+1]' = 0 for i in 1..n\n")
    picture, root = svg(heat)
    dae('show', 'm.dae', '--structure', '-o', 'm.png', status=0)
    # a diagonal of dots, and what is beside it
    equal(count_pixels('m.png', (0x20, 0x30, 0x40)) > 250*6*6/2, True)
    equal(len(picture) < 300000, True, 'size of the picture')
    equal(len(list(root.iter())) < 1000, True, 'parts of the picture')
    equal(re.search(r'width="(\d+)"', picture).group(1), '798')


def test_wrong_use_of_show():
    write('m.dae', DECAY)
    dae('show', 'm.dae', '-o', 'x.svg', status=2)
    dae('show', 'm.dae', '--structure', '-o', 'x.gif', status=2)
    dae('show', 'm.dae', '--structure', '-o', 'nowhere/x.png', status=5)
    dae('show', 'm.dae', '--structure', '-o', 'nowhere/x.svg', status=5)
    dae('show', '-', '--structure', '--equations', stdin=DECAY, status=2)
    dae('show', '-', '--structure', stdin=DECAY, status=0)
    write('m.dae', DECAY + 'y = 1\n')
    dae('show', 'm.dae', '--structure', status=3)


def test_smallest_of_what_is_too_much():
    # two pairs of two equations for one unknown each: one pair says it
    r = check('var x, y\na: x = 1\nb: x = 2\nc: y = 1\nd: y = 2\n', 3)
    contains(r.out, 'too many equations: 2 equations, 1 unknown '
                    '(the smallest such set)')
    contains(r.out, 'and equations')


def test_reasons_for_the_index():
    def reason(text):
        return ' '.join(check(text, 0).out.split())
    two = ("var c1 ~ 1, c2 ~ 1, d1 ~ 1, d2 ~ 1\ninput gamma = 1 + sin(t)/2\n"
           "c2' = c1 - c2\nfirst: c2 = gamma\n"
           "d2' = d1 - d2\nsecond: d2 = gamma\n")
    contains(reason(two), '`first` and `second` are differentiated once before '
                          '`c1` and `d1` are determined')
    six = ('input gamma = 1 + sin(t)/2\nvar c[6] ~ 1, m[6] ~ 1\n'
           "m[i]' = c[i] - m[i] for i in 1..6\n"
           'shown: m[i] = gamma for i in 1..6\n')
    contains(reason(six), '`shown[1]`, `shown[2]`, `shown[3]`, `shown[4]` and '
             '2 more are differentiated once before `c[1]`, `c[2]`, '
             '`c[3]`, `c[4]` and others are determined')
    # c1 and e are found together from the derivative; z needs none
    together = ("var y ~ 1, z ~ 1, c1 ~ 1, e ~ 1, c2 ~ 1\n"
                "z = c2 + y\ny = 2*c2\nc1 = 2*e + 1\nc2' = c1 + e\n"
                "outlet: c2 = 1 + sin(t)/2\n")
    contains(reason(together),
             '`outlet` is differentiated once before `c1` and `e` are '
             'determined')


def test_what_has_no_real_root():
    # x'^2 + 4*x^2 - 4 is least where x' = 0: 1.76 at x = 1.2; turned round
    # it is most there
    r = check("var x = 1.2\ninit x' ~ 1\nx'^2 + 4*x^2 = 4\n", 1)
    contains(r.err, 'no values were found that satisfy `L3`')
    r = check("var x = 1.2\ninit x' ~ 1\n4 = x'^2 + 4*x^2\n", 1)
    contains(r.err, 'no values were found that satisfy `L3`')


def test_help():
    contains(dae('help', 'check', status=0).out, '--verbose')
    equal(dae('check', '--help', status=0).out, dae('help', 'check').out)


# ---- a search that ends ----------------------------------------------------------

# exponentials are never below 0; they are least where v is least, at its bound
STALL = """var x = 1, u ~ 2 {max = 40}, v ~ 1 {min = 0}
x' = -x
curve: exp(u) + exp(v) = -x*1e-3
both: u - v = 1
"""


def test_a_search_that_ends_says_where():
    text = ("var x = 1, u ~ 2, v ~ 1\nx' = 0\n"
            "curve: u^2 + 2 = 0.001*v\nboth: v = 2 + 0.001*u\n")
    write('stall.dae', text)
    result = dae('check', 'stall.dae', '--json', '--no-times', status=4)
    initial = result.json['initial']
    equal(initial['verdict'], 'unsolved')
    equal(initial['conflicts'], [])
    stalled = initial['stalled']
    lines = {e['name']: e['line'] for e in stalled['equations']}
    equal(lines.get('curve'), 3)
    left = {e['name']: e['residual'] for e in stalled['equations']}
    u, v = stalled['unknowns']
    equal((u['name'], u['guess'], v['name'], v['guess']), ('u', 2, 'v', 1))
    near(left['curve'], u['value']**2 + 2 - 0.001*v['value'], 1e-9,
         'what is left of curve')
    for command in 'check', 'init', 'run':
        write('stall.dae', text + 'solve t in 0..1\n')
        err = dae(command, 'stall.dae', status=4).err
        for part in ('E0402', 'equations for 2 unknowns',
                     '`curve` has a residual', '`u` = ', '(guess 2)',
                     'give a guess nearer'):
            contains(err, part)


def test_a_start_that_was_found_has_no_stall():
    write('found.dae', STALL.replace('-x*1e-3', '4*x'))
    found = dae('check', 'found.dae', '--json', '--no-times', status=0).json
    equal('stalled' in found['initial'], False)


def test_what_a_param_takes_away_is_named():
    write('m.dae', 'param k = 2, z = 0\nvar p1, p2, q\none: p1 = 10\ntwo: p1 = 5 + z*q\n'
          'three: q = k*(p1 - p2)\nsolve t in 0..1\n')
    contains(dae('run', 'm.dae', status=3).err,
             'help: no equation determines `p2`, `q`: the value of a param takes `q` out of `two`')
    dae('run', 'm.dae', '--set', 'z=1', status=0)


main(globals())
