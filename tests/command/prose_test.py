"""The numbers in the sentences of docs/orders.md: each has a mark behind it, as in
5e-13<!-- chain_bdf6 -->, which is not shown and names what it is here. It has to be
that to its last digit. A number with a point or an exponent needs a mark, but in
quoted text (`...`) and where it is what a command is given, such as `h = 0.02`.
Entries of CHANGELOG.md: one line each, of 20 words at most."""

import math
import os
import re
from fractions import Fraction

from lesson import page
from support import ROOT, dae, equal, main, near, write

MARKED = re.compile(r'([-+]?\d+(?:/\d+|(?:\.\d+)?(?:e[-+]?\d+)?))'
                    r'<!-- (\w+) -->')
STEPS = ('--steps', '0.1..0.0125')


def study(name, *words):
    path = name if name.endswith('.dae') else os.path.join(
        ROOT, 'models', name + '.dae')
    return dae('orders', path, '--study', 'steps', *words, '--json',
               '--no-times', status=0).json


def fixed(name, *words):
    return study(name, *words)['fixed_step']


def observed(name, key, unknown, *words):
    row, = study(name, *words)['observed_order']
    return row[key][unknown]


def lesson_models():
    """Those that the page itself has: the chain with the cosine, a pendulum that is
    driven, a beam."""
    return re.findall(r'```dae\n(.*?)```', page('orders.md'), re.S)


def cosine(order):
    write('cosine.dae', lesson_models()[0])
    return observed('cosine.dae', 'largest', 'c1', *STEPS, '--orders',
                    str(order))


def beam(step):
    write('beam.dae', lesson_models()[2])
    row, = fixed('beam.dae', '--orders', '5', '--steps', step)
    return abs(row['errors']['x'])


def beam_factor():
    write('beam.dae', lesson_models()[2])
    found = dae('stability', 'beam.dae', '--step', '0.02', '--methods', 'bdf5',
                '--json', status=0).json
    return max(e['methods']['bdf5']['amplification']
               for e in found['eigenvalues'])


def chain_unequal(step, whole):
    """c1 of the chain by gamma'' at the end, of whole patterns or a part."""
    end = 2 if whole else 2 - 2*step
    row, = fixed('process/chain', '--to', str(end), '--orders', '1', '--steps',
                 repr(step), '--pattern', '1,2' if whole else '2,1')
    return row['errors']['c1'] / (-math.sin(end)/2)


def radau(name, unknown, order, steps, *words):
    """The order that the largest error of the equations as they stand shows."""
    rows = study(name, '--methods', 'radau', '--orders', str(order), '--steps',
                 steps, *words)['observed_order']
    return rows[-1]['largest'][unknown]


def driven(unknown, stages):
    write('driven.dae', lesson_models()[1])
    return radau('driven.dae', unknown, 2*stages - 1, '0.25,0.125')


def stiff(order):
    return radau('limits/prothero_robinson', 'x', order, '0.25,0.125',
                 '--to', '1', '--set', 'k=1e4')


def force(key, method, reduced='never'):
    rows = study('mechanics/pendulum', '--to', '0.5', '--methods', method,
                 '--orders', '3', '--steps', '0.01,0.005')['observed_order']
    row, = [r for r in rows if r['reduce'] == reduced]
    return row[key]['lam']


# The order of a formula is a whole number, which what is measured comes to; the
# others are what they are to the digits shown.
ABOUT = {'chain_bdf2', 'chain_bdf4', 'cosine_bdf1', 'cosine_bdf3',
         'after_a_long_step', 'after_a_short_step', 'force_largest',
         'force_end', 'force_trapezoid', 'stiff_radau5', 'stiff_radau9',
         *(f'radau_{what}_{s}' for what in ('velocity', 'force')
           for s in (3, 5, 7))}
KNOWN = {
    'chain_bdf6': lambda: abs(fixed('process/chain', '--to', '2', '--orders',
                                    '6', '--steps', '0.0125')[0]
                              ['errors']['c1']),
    'rounding': lambda: 2.0**-52,
    'rounding_twice': lambda: 2.0**-52 / 0.0125**2,
    'tank1_bdf3': lambda: observed('process/tank1', 'global', 'c2', '--to', '2',
                                   *STEPS, '--orders', '3'),
    'tank1_bdf5': lambda: observed('process/tank1', 'global', 'c2', '--to', '2',
                                   *STEPS, '--orders', '5'),
    'half_curvature': lambda: -math.sin(2)/4,
    'chain_bdf2': lambda: observed('process/chain', 'largest', 'c1', '--to',
                                   '2', *STEPS, '--orders', '2'),
    'chain_bdf4': lambda: observed('process/chain', 'largest', 'c1', '--to',
                                   '2', *STEPS, '--orders', '4'),
    'cosine_bdf1': lambda: cosine(1),
    'cosine_bdf3': lambda: cosine(3),
    # a step of 2h, h behind it, and the other way round
    'after_a_long_step': lambda: chain_unequal(0.002, False),
    'after_a_short_step': lambda: chain_unequal(0.001, True),
    'force_largest': lambda: force('largest', 'bdf'),
    'force_end': lambda: force('global', 'bdf'),
    'force_trapezoid': lambda: force('largest', 'trapezoid'),
    **{f'radau_velocity_{s}': lambda s=s: driven('v', s) for s in (3, 5, 7)},
    **{f'radau_force_{s}': lambda s=s: driven('lam', s) for s in (3, 5, 7)},
    'stiff_radau5': lambda: stiff(5),
    'stiff_radau9': lambda: stiff(9),
    'gone': lambda: math.exp(-20),
    'beam_long_steps': lambda: beam('0.02'),
    'beam_short_steps': lambda: beam('0.01'),
    'factor': beam_factor,
    'factors': lambda: beam_factor()**100,
}


def prose():
    text = re.sub(r'```.*?```', '', page('orders.md'), flags=re.S)
    text = re.sub(r'^    .*$', '', text, flags=re.M)
    return re.sub(r'`[^`]*`|\]\([^)]*\)', '', text)


def last_digit(text):
    """Half a unit in the last place shown."""
    digits, _, power = text.partition('e')
    places = len(digits.partition('.')[2])
    return 0.5 * 10.0**(int(power or 0) - places)


def test_each_number_is_what_it_says():
    marks = MARKED.findall(prose())
    equal(sorted(name for _, name in marks), sorted(KNOWN))
    for text, name in marks:
        about = 0.15 if name in ABOUT else 1.0001 * last_digit(text)
        if '/' in text:
            about = 0.02
        near(KNOWN[name](), float(Fraction(text)), about, f'{text} ({name})')


# Beside what commands are given: the picture of tank 1, whose hundreds of times
# orders_test.py counts, and how near to a whole number an order is told as one.
GIVEN = re.compile(r'(?:h|rtol) = \d[\d.e-]*|wrong by 0\.01'
                   r'|at 1e-4 backward Euler|if it is one within 0\.25')


def test_no_number_is_without_a_mark():
    bare = GIVEN.sub('', MARKED.sub('', prose()))
    equal(re.findall(r'\d+\.\d+|\d+e-?\d+', bare), [])


WORDS_MOST = 20


def test_changelog_entries_are_short():
    with open(os.path.join(ROOT, 'CHANGELOG.md'), encoding='utf-8') as file:
        lines = file.read().splitlines()
    entries = [line for line in lines if line.startswith('- ')]
    equal([e for e in entries if len(e.split()) - 1 > WORDS_MOST], [])
    equal([line for line in lines if line.startswith(' ')], [], 'one line each')
    equal([line for line in lines if line.startswith('### ')],
          ['### Added', '### Changed', '### Fixed'])
    equal(len(entries), len(set(entries)), 'entries')


main(globals())
