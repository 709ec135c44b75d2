"""dae stability: regions as text and JSON, eigenvalues of models known by hand,
the sentence, what is refused, and every command of docs/stability.md. Values
are from closed forms and tests/data/reference/bdf_stability.json."""

import cmath
import json
import math
import os

from lesson import numbers_of, play, words_of
from support import ROOT, contains, dae, equal, main, near, write

OSCILLATOR = """param w = 2
var x = 1, v = 0
x' = v
v' = -w^2*x
solve t in 0..10
"""
BEAM = """"Beam"
param w = 50, d = 10
var x = 1, v = 0, y = 1
x' = v
v' = -(w^2 + d^2)*x - 2*d*v
y' = -y
solve t in 0..1
"""
PENDULUM = """var x ~ 0, y ~ 1
var u = 0, v ~ 0, lam ~ 9.81
init x = 0
x' = u
y' = v
u' = -lam*x
v' = -lam*y + 9.81
rod: x^2 + y^2 = 1
solve t in 0..1
"""


def stability(*words, status=0):
    return dae('stability', *words, '--json', '--no-times', status=status).json


def values(document):
    return [complex(e['re'], e['im']) for e in document['eigenvalues']]


def reference():
    with open(os.path.join(
            ROOT, 'tests/data/reference/bdf_stability.json')) as file:
        return json.load(file)


def test_regions_in_json():
    methods = {m['name']: m for m in stability()['methods']}
    equal(list(methods), [f'bdf{k}' for k in range(1, 7)]
          + [f'ndf{k}' for k in range(1, 6)] + ['trapezoid', 'euler', 'rk4'])
    known = reference()
    for k in range(1, 7):
        m, e = methods[f'bdf{k}'], known[f'bdf{k}']
        near(m['alpha'], float(e['alpha_deg']), 1e-11, 'alpha')
        near(m['leftmost'], float(e['min_real_part_of_locus']), 1e-13, 'D')
        near(m['error_constant'], -1 / (k + 1), 1e-15, 'constant')
        equal(m['order'], k)
    near(methods['rk4']['real_limit'], 2.785293563405282, 1e-13, 'rk4')
    near(methods['rk4']['imaginary_limit'], math.sqrt(8), 1e-13, 'rk4')
    equal(methods['rk4']['leftmost'], None)
    equal(methods['bdf1']['real_limit'], None, 'infinite')
    equal(methods['trapezoid']['at_infinity'], 1)


def test_regions_as_text():
    out = dae('stability', status=0).out
    equal(len([s for s in out.splitlines() if s.startswith('  ')]), 15)
    contains(out, 'bdf1, bdf2, ndf1, ndf2 and trapezoid have the whole left '
             'half plane')
    contains(out.replace('\n', ' '), 'bdf3 to bdf6 and ndf3 to ndf5 lack a part')
    contains(out, '86.0324')
    equal(dae('stability', '--quiet', status=0).out, '')


def test_methods_are_chosen_by_name_and_family():
    names = [m['name'] for m in
             stability('--methods', 'rk4,ndf,bdf2,rk4')['methods']]
    equal(names, ['rk4', 'ndf1', 'ndf2', 'ndf3', 'ndf4', 'ndf5', 'bdf2'])
    for wrong in ['bdf7', 'bdf,,rk4', '', 'BDF1']:
        err = dae('stability', '--methods', wrong, status=2).err
        contains(err, 'there is no method')


# x'' = -4 x at h w = 0.2: the root is 1/sqrt(1 + 0.04) for backward Euler,
# sqrt(1.04) for Euler, 1 for the trapezoid; a run's energy says of the others:
# damped by bdf1, bdf2, bdf5, increased by bdf3, bdf4
def test_an_oscillator():
    write('m.dae', OSCILLATOR)
    d = stability('m.dae', '--step', '0.1')
    equal(len(d['eigenvalues']), 2)
    near(d['eigenvalues'][0]['im'], 2, 1e-14, 'w')
    equal(d['eigenvalues'][1]['im'], -d['eigenvalues'][0]['im'])
    equal(d['infinite'], 0)
    equal(d['index'], 0)
    of = d['eigenvalues'][0]['methods']
    near(of['bdf1']['amplification'], 1 / math.sqrt(1.04), 1e-14, 'bdf1')
    near(of['euler']['amplification'], math.sqrt(1.04), 1e-14, 'euler')
    near(of['trapezoid']['amplification'], 1, 1e-14, 'trapezoid')
    equal({name: of[name]['side'] for name in of if name[0] != 'n'},
          {'bdf1': 'inside', 'bdf2': 'inside', 'bdf3': 'outside',
           'bdf4': 'outside', 'bdf5': 'inside', 'bdf6': 'inside',
           'trapezoid': 'edge', 'euler': 'outside', 'rk4': 'inside'})
    # (3/2 - z) zeta^2 - 2 zeta + 1/2 = 0
    a = 1.5 - 0.2j
    larger = max(abs((1 + s*cmath.sqrt(1 - a/2))/a) for s in (1, -1))
    near(of['bdf2']['amplification'], larger, 1e-14, 'bdf2')


def test_the_beam_rings_with_bdf5():
    write('beam.dae', BEAM)
    out = dae('stability', 'beam.dae', '--step', '0.02', '--methods', 'bdf',
              status=0).out.replace('\n', ' ')
    contains(out, 'grows with bdf5 and bdf6')
    contains(out, 'no motion that should not grow does with bdf1 to bdf4.')
    contains(out, '-10 +- 50i')
    for step, side in [('0.02', 'outside'), ('0.01', 'inside'),
                       ('0.2', 'inside')]:
        d = stability('beam.dae', '--step', step)
        equal(d['eigenvalues'][1]['methods']['bdf5']['side'], side, step)


def test_a_pendulum_has_two_motions_of_five_unknowns():
    write('p.dae', PENDULUM)
    d = stability('p.dae')
    equal([d['infinite'], d['index'], len(d['eigenvalues'])], [3, 3, 2])
    near(abs(values(d)[0] - 1j * math.sqrt(9.81)), 0, 1e-12, 'frequency')
    out = dae('stability', 'p.dae', status=0).out
    contains(out, '3 infinite (index 3)')


# n beads of mass 1 on links of length 1, gravity 1, hanging at rest: the
# squares of the frequencies are the zeros of the Laguerre polynomial L_n
# (D. Bernoulli 1738)
def test_hanging_beads_swing_at_the_zeros_of_laguerre_polynomials():
    write('beads.dae', """param n = 4
var x[n] = 0, y[n] ~ 0
var u[n] = 0, v[n] ~ 0, F[n] ~ 1
init y[k] ~ k for k in 1..n
init F[k] ~ n + 1 - k for k in 1..n
x[k]' = u[k] for k in 1..n
y[k]' = v[k] for k in 1..n
u[k]' = -F[k]*(x[k] - (if k > 1 then x[k-1] else 0)) + (if k < n then F[k+1]*(x[k+1] - x[k]) else 0) for k in 1..n
v[k]' = 1 - F[k]*(y[k] - (if k > 1 then y[k-1] else 0)) + (if k < n then F[k+1]*(y[k+1] - y[k]) else 0) for k in 1..n
(x[k] - (if k > 1 then x[k-1] else 0))^2 + (y[k] - (if k > 1 then y[k-1] else 0))^2 = 1 for k in 1..n
solve t in 0..1
""")
    zeros = [0.322547689619392, 1.745761101158347, 4.536620296921128,
             9.395070912301133]
    d = stability('beads.dae')
    equal([len(d['eigenvalues']), d['infinite'], d['index']], [8, 12, 3])
    for k in range(4):
        near(d['eigenvalues'][2 * k]['im'], math.sqrt(zeros[k]), 1e-10, k)
        near(d['eigenvalues'][2 * k]['re'], 0, 1e-10, k)


# u' = u_xx with u = 0 at both ends, written as rows of an array
def test_heat():
    write('heat.dae', """param n = 20
var u[n] = 1
u[k]' = (n + 1)^2*((if k > 1 then u[k-1] else 0) - 2*u[k] + (if k < n then u[k+1] else 0)) for k in 1..n
solve t in 0..1
""")
    d = stability('heat.dae', '--step', '0.001')
    for k, z in enumerate(values(d), 1):
        near(z.real, -4 * 441 * math.sin(k * math.pi / 42) ** 2, 1e-9, k)
        equal(z.imag, 0)
    # 0.001 times 4*441 is below 2: explicit Euler holds everything
    equal({e['methods']['euler']['side'] for e in d['eigenvalues']}, {'inside'})
    d = stability('heat.dae', '--step', '0.002')
    equal(d['eigenvalues'][-1]['methods']['euler']['side'], 'outside')
    equal(d['eigenvalues'][-1]['methods']['bdf6']['side'], 'inside')


# x' = -x^2, x(0) = 1: x = 1/(1 + t), so lambda = -2/(1 + t)
def test_a_point_of_the_run():
    write('m.dae', "var x = 1\nx' = -x^2\nsolve t in 0..4, rtol = 1e-9\n")
    for t in [0, 1, 4]:
        d = stability('m.dae', '--at', str(t))
        equal(d['t'], t)
        near(values(d)[0].real, -2 / (1 + t), 1e-7, t)
    for t in ['-1', '5']:
        result = dae('stability', 'm.dae', '--at', t, status=2)
        contains(result.err, 'outside of the interval from 0 to 4')
    near(values(stability('m.dae', '--at', '9', '--to', '9'))[0].real, -0.2,
         1e-7, 'beyond')
    write('open.dae', "var x = 1\nx' = -x\n")
    near(values(stability('open.dae', '--at', '2'))[0].real, -1, 1e-12, 'open')


def test_what_grows_and_is_damped_is_told():
    write('m.dae', "var x = 1\nx' = x\nsolve t in 0..1\n")
    d = stability('m.dae', '--step', '3')
    near(d['eigenvalues'][0]['methods']['bdf1']['amplification'], 0.5, 1e-14,
         'bdf1')
    contains(d['summary'], 'A motion that grows with time constant 1 is damped '
             'by bdf1')
    # a pole has no number
    d = stability('m.dae', '--step', '1')
    equal(d['eigenvalues'][0]['methods']['bdf1'],
          {'amplification': None, 'side': 'outside'})


def test_nothing_moves():
    write('m.dae', "var x, y\nx = sin(t)\ny = x'\nsolve t in 0..1\n")
    d = stability('m.dae', '--step', '1')
    equal([d['eigenvalues'], d['infinite'], d['index']], [[], 2, 2])
    contains(dae('stability', 'm.dae', status=0).out, 'No eigenvalue is finite')


def test_what_cannot_be():
    write('m.dae', OSCILLATOR)
    for words, text in [(['--step', '0'], 'a number above 0'),
                        (['--step', '-1'], 'a number above 0'),
                        (['--method', 'nonsense'], 'no method `nonsense`'),
                        (['--methods', 'nonsense'], 'no method `nonsense`'),
                        (['--points', '3'], 'takes no --points')]:
        contains(dae('stability', 'm.dae', *words, status=2).err, text)
    contains(dae('stability', '--at', '1', status=2).err, 'wants a model')
    write('wrong.dae', 'var x\n')
    dae('stability', 'wrong.dae', status=3)
    dae('stability', 'absent.dae', status=5)


def test_too_many_unknowns_are_refused_before_the_run():
    write('m.dae', "param n = 2001\nvar x[n] = 1\n"
          "x[k]' = -x[k] for k in 1..n\nsolve t in 0..1\n")
    result = dae('stability', 'm.dae', '--at', '1', status=6)
    contains(result.err, 'E0004')
    contains(result.err, '2001 unknowns are too many for eigenvalues: 2000')
    contains(result.err, '--set')
    equal(len(stability('m.dae', '--set', 'n=30')['eigenvalues']), 30)


def test_a_singular_point_names_equation_and_unknowns():
    write('m.dae', "var x = 1, y ~ 1\nx' = y - 2*x\n"
          "square: (y - x)^2 = t^2\nsolve t in 0..1\n")
    result = dae('stability', 'm.dae', status=4)
    contains(result.err, 'error[E0511]')
    contains(result.err, 'dependent: `square`; left open: `x`, `y`')
    document = stability('m.dae', status=4)
    equal(document['status'], 'failed')
    # what is true of the start is said first, as by every command
    equal([d['code'] for d in document['diagnostics']], ['W0306', 'E0511'])
    equal('eigenvalues' in document, False)


def test_equal_input_gives_equal_bytes():
    path = os.path.join(ROOT, 'models/mechanics/andrews.dae')
    words = ['stability', path, '--at', '0.01', '--step', '1e-3']
    first = dae(*words, '--json', '--no-times', status=0).out
    equal(dae(*words, '--json', '--no-times', status=0).out, first)


# The finite eigenvalues are as many as the degrees of freedom that the model
# states itself.
def test_models_have_as_many_motions_as_degrees_of_freedom():
    for name, dof, index in [
            ('mechanics/andrews', 2, 3), ('mechanics/bead_chain', 20, 3),
            ('mechanics/chained_pendula_seven', 14, 15),
            ('mechanics/chained_pendula', 6, 7), ('mechanics/gear_pair', 2, 3),
            ('circuits/ring_modulator_limit', 10, 2),
            ('circuits/transistor_amplifier', 5, 1),
            ('process/cstr_wanted', 0, 3), ('process/differentiators', 0, 21),
            ('process/batch_distillation', 2, 2),
            ('chemistry/pollution', 20, 0), ('mechanics/robot_arm', 0, 5)]:
        d = stability(os.path.join(ROOT, 'models', name + '.dae'))
        equal([len(d['eigenvalues']), d['index']], [dof, index], name)


# ---- the lesson

# Words as they stand, numbers but for the last digit shown.
def check_listing(shown, found):
    equal(words_of(shown), words_of(found))
    for a, b in zip(numbers_of(shown), numbers_of(found)):
        near(b, a, 2e-5 * max(1, abs(a)), 'a number of the lesson')


def test_the_lesson():
    equal(play('stability.md', check_listing), 6)
    # picture_pages_test.py looks at them
    equal(sorted(os.listdir('docs/pictures')),
          ['stability_bdf.svg', 'stability_beam.svg'])


# What the lesson says in its sentences.
def test_the_numbers_of_the_lesson():
    write('m.dae', 'var x = 1, v = 0\nx\' = v\nv\' = -x\nsolve t in 0..1\n')
    of = stability('m.dae', '--step', '1')['eigenvalues'][0]['methods']
    for name, root in [('bdf3', 1.044), ('bdf4', 1.106), ('bdf5', 1.135)]:
        near(of[name]['amplification'], root, 5e-4, name)
    methods = {m['name']: m for m in stability()['methods']}
    near(90 - methods['bdf3']['alpha'], 4, 0.5, 'order 3')
    near(90 - methods['bdf6']['alpha'], 72, 0.5, 'order 6')
    near(methods['bdf5']['imaginary_limit'], 0.71, 5e-3, 'bdf5')


main(globals())
