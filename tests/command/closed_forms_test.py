"""Models with events against their closed forms: tests/data/events, where
derive.py makes the numbers. At rtol = 1e-10 every event time is right to 1e-9 in the
unit of the model, whatever its size: a run's clock has no error of its own, so that a
late event has no claim to a larger one. Every value that an event changes, values in
the midst of each phase and the final ones are right to 1e-9 of the largest that the
variable is told to have. No event is missed, none is told twice.

OWED says of which models errors grow more than tenfold until the end, by what the
motion makes of them or because they add up over many phases, with bounds for times and
for values at 1e-10, at most 1.5 times what was measured; they are right to 1e-9 at
rtol = 1e-12, but for the times of OWED_TIGHT.

An entry without a label is a place where an equation switches. What a run tells
beside them is in `beside` of the case, a condition that turns without anything
coming of it, or turns a condition of `rests`."""

import json
import os

from support import ROOT, dae, equal, main, near, write

with open(os.path.join(ROOT, 'tests/data/events/closed_forms.json'),
          encoding='utf-8') as file:
    CASES = json.load(file)['cases']
CLOSE = 1e-9, 1e-9
OWED = {'ball_with_drag': (1.6e-9, 2.2e-9), 'dead_zone_spring': (1e-9, 1.7e-9),
        'harvest': (9e-9, 1.8e-9), 'impact_oscillator': (7.3e-8, 4.2e-8), 'integrate_and_fire': (1.1e-7, 2.4e-9),
        'radial_fall': (1e-9, 1.5e-9), 'rectified_sine': (1e-9, 2.2e-9),
        'tank_level_switch': (3e-9, 1e-9), 'thermostat': (6.6e-8, 6.3e-9),
        'zero_crossings': (1.4e-9, 3.3e-8)}
OWED_TIGHT = {'integrate_and_fire': 1.9e-9}


def sizes_of(case):
    """The largest magnitude of each variable; 1 of what is 0 throughout."""
    sizes = {}
    for values in [case['final']['values']] + [s['values'] for s in case['samples']] \
            + [e[side] for e in case['events'] for side in ('before', 'after')]:
        for name, value in values.items():
            sizes[name] = max(sizes.get(name, 0), abs(float(value)))
    return {name: size or 1 for name, size in sizes.items()}


def run_case(name, rtol, close):
    """The document of a run that also checks the samples."""
    case = CASES[name]
    with open(os.path.join(ROOT, case['model']), encoding='utf-8') as file:
        text = file.read()
    sizes = sizes_of(case)
    for sample in case['samples']:
        for n, value in sample['values'].items():
            text += (f'\nexpect {n} ~ {float(value)!r} within '
                     f'{close[1]*sizes[n]!r} at {float(sample["t"])!r}')
    write('m.dae', text + '\n')
    return dae('run', 'm.dae', '--json', '--no-times', '--rtol', str(rtol),
               '--atol', str(rtol/100), status=0).json


def instants(entries, tolerance):
    """Times that differ by more than `tolerance`, each once."""
    found = []
    for t in sorted(entries):
        if not found or t - found[-1] > tolerance:
            found.append(t)
    return found


def check_times(found, expected, tolerance, what):
    equal(len(found), len(expected), f'{what}: {found}')
    for a, b in zip(found, expected):
        near(a, b, tolerance, what)


def check_events(name, document, close):
    case, events = CASES[name], document['events']
    tolerance = close[0]
    fired = [e for e in events if e['kind'] == 'when']
    named = [e for e in case['events'] if e['label']]
    equal([e['label'] for e in fired], [e['label'] for e in named], name)
    check_times([e['t'] for e in fired], [float(e['t']) for e in named],
                tolerance, name)
    silent = sorted([float(e['t']) for e in case['events'] if not e['label']]
                    + [float(t) for t in case['beside']])
    is_near = lambda t, times: any(abs(t - u) <= tolerance for u in times)
    turns = [e['t'] for e in events if e['kind'] == 'switch'
             and not is_near(e['t'], [f['t'] for f in fired])
             and (e['label'] not in case['rests'] or is_near(e['t'], silent))]
    check_times(instants(turns, tolerance), silent, tolerance,
                f'{name}: switches')
    sizes = sizes_of(case)
    for e, known in zip(fired, named):
        for side in 'before', 'after':
            for n, value in e[side].items():
                if n in known[side]:
                    near(value, float(known[side][n]), close[1]*sizes[n],
                         f'{name}: {n} {side} {e["label"]} at {e["t"]}')


def check_final(name, document, close):
    case = CASES[name]
    near(document['t'], float(case['final']['t']), close[0], name)
    sizes = sizes_of(case)
    for n, value in case['final']['values'].items():
        near(document['values'][n], float(value), close[1]*sizes[n],
             f'{name}: {n} at the end')


def check_at(name, rtol, close):
    document = run_case(name, rtol, close)
    check_events(name, document, close)
    check_final(name, document, close)


def check(name):
    check_at(name, 1e-10, OWED.get(name, CLOSE))
    if name in OWED:
        check_at(name, 1e-12, (OWED_TIGHT.get(name, CLOSE[0]), CLOSE[1]))


def test_there_are_enough():
    equal(len(CASES) - len(OWED) >= 20, True, str(len(CASES)))
    equal(set(OWED) <= set(CASES) and set(OWED_TIGHT) <= set(OWED), True)
    # of bounces, switches and stops each a few
    stopped = [name for name, case in CASES.items()
               if case['events'] and case['events'][-1]['t'] == case['final']['t']]
    equal(len(stopped) >= 7, True, stopped)


for case_name in CASES:
    globals()[f'test_{case_name}'] = lambda name=case_name: check(name)

main(globals())
