"""Ground contact against its references (tests/data/reference/textbook.json): at
rtol = 1e-6 and 1e-9 states at every time that a case lists, right to 100
tolerances of 1 + |value| until the first contact and to 1000 behind it; every
touch and lift, and every turn of a slip, none of them twice; what stays."""

import json
import os

from support import ROOT, dae, equal, main, near

with open(os.path.join(ROOT, 'tests/data/reference/textbook.json'),
          encoding='utf-8') as file:
    CASES = json.load(file)['cases']
RTOLS = 1e-6, 1e-9


def run_model(name, rtol, end, *words):
    """(document, {column: value} at `end`)"""
    path = os.path.join(ROOT, 'models/contact', name + '.dae')
    result = dae('run', path, '--json', '--no-times', '--rtol', str(rtol),
                 '--atol', str(rtol/100), '--to', str(end), '--quiet', *words)
    equal(result.status in (0, 1), True, result.err)  # `expect` is for the model's rtol
    document = result.json
    equal(document['status'], 'done', name)
    return document, {**document['values'], **document['outputs'],
                      **document['derivatives']}


def check_values(name, rtol, end, known, first):
    document, found = run_model(name, rtol, end)
    factor = 1000 if end > first else 100
    for n, value in known.items():
        near(found[n], value, factor*rtol*(1 + abs(value)),
             f'{name} at {rtol:g}: {n} at t = {end}')
    return document


def of_masses(case, i):
    """X1x, X1y, ... as the models name them."""
    return {f'{n[0]}[{n[1]},{"xy".index(n[2]) + 1}]': v
            for n, v in zip(case['states'], case['values'][i])}


def check_masses(name, key):
    case = CASES[key]
    first = case['events'][0]['t']
    for rtol in RTOLS:
        for i, end in enumerate(case['t']):
            check_values(name, rtol, end, of_masses(case, i), first)


def told(name, end, label, *words, rtol=1e-9):
    """Times at which the switches named `label` turn."""
    document, _ = run_model(name, rtol, end, *words)
    return [e['t'] for e in document['events'] if e['label'] == label]


def check_times(found, expected, tolerance, what):
    equal(len(found), len(expected), f'{what}: {found}')
    for a, b in zip(found, expected):
        near(a, b, tolerance, what)


def check_events(name, key, labels):
    """`labels`: type of event -> label of mass k with the touches and lifts."""
    case = CASES[key]
    end = case['t'][-1]
    masses = sorted({e['mass'] for e in case['events']})
    for k in masses:
        known = [e['t'] for e in case['events']
                 if e['mass'] == k and e['type'] in ('touch', 'lift')]
        check_times(told(name, end, labels.format(k)),
                    [t for t in known if t < end], 1e-8, f'{name}: mass {k}')


def bounce_times(end):
    """Touches and lifts of ground_bounce, in closed form."""
    case = CASES['ground_bounce']
    times, k = [], 0
    while True:
        touch = case['t_first_touch'] + k*case['period']
        for t in touch, touch + case['contact_duration']:
            if t > end:
                return times
            times.append(t)
        k += 1


def test_bounce():
    case = CASES['ground_bounce']
    for rtol in RTOLS:
        for end, (x, v) in case['states'].items():
            check_values('ground_bounce', rtol, float(end), {'x': x, 'v': v},
                         case['t_first_touch'])
        document, _ = run_model('ground_bounce', rtol, 5)
        near(document['outputs']['energy'], 9.81, 1000*rtol*9.81, 'energy')


def test_how_deep_it_goes():
    """In the middle of the first contact and of the last one before t = 5."""
    case = CASES['ground_bounce']
    middle = case['t_first_touch'] + case['contact_duration']/2
    for rtol in RTOLS:
        for k in 0, 4:
            check_values('ground_bounce', rtol, middle + k*case['period'],
                         {'x': -case['max_penetration']}, 0)


def test_where_it_stops():
    for key, model, back in (
            ('ground_incline_alpha0.5_mu0.3', 'incline_slides', True),
            ('ground_incline_alpha0.5_mu0.8_sticks', 'incline_sticks', False)):
        case = CASES[key]
        stop = case['distance_at_stop']
        for rtol in RTOLS:
            check_values(model, rtol, case['t_stop'], {'distance': stop}, 1)
            _, found = run_model(model, rtol, 1)
            equal(case['slides_back'], back)
            equal(found['distance'] < stop - 0.1, back, model)


# BDF5 takes some of the amplitude of half an oscillation in every step of a contact,
# and the flights carry it on: five of them, and backwards as well.
def test_times_of_bounces():
    known = bounce_times(5)
    check = lambda found, tolerance, what: check_times(
        found, known, tolerance, f'ground_bounce {what}')
    check(told('ground_bounce', 5, 'x < 0'), 1e-8, 'by order 5')
    check(told('ground_bounce', 5, 'x < 0', '--order', '4'), 1e-8, 'by order 4')
    check(told('ground_bounce', 5, 'x < 0', '--method', 'ndf'), 1e-8, 'by ndf')
    check(told('ground_bounce', 5, 'x < 0', rtol=1e-10), 1e-9, 'at 1e-10')
    check(told('ground_bounce', 5, 'x < 0', rtol=1e-6), 1e-5, 'at 1e-6')


def test_it_slides_back():
    case = CASES['ground_incline_alpha0.5_mu0.3']
    for rtol in RTOLS:
        for end, (d, w) in case['distance_velocity'].items():
            check_values('incline_slides', rtol, float(end),
                         {'distance': d, 'w': w}, 1)
    check_times(told('incline_slides', 1, 'sign(w)'), [case['t_stop']], 1e-8,
                'it turns')


def test_it_sticks():
    case = CASES['ground_incline_alpha0.5_mu0.8_sticks']
    for rtol in RTOLS:
        for end, (d, w) in case['distance_velocity'].items():
            document = check_values('incline_sticks', rtol, float(end),
                                    {'distance': d, 'w': w}, 1)
        equal(abs(document['outputs']['w']) < 1e-15, True, 'it stands still')
    document, _ = run_model('incline_sticks', 1e-9, 1)
    fired = [e for e in document['events'] if e['kind'] == 'when']
    equal([e['label'] for e in fired], ['stop_slip'])
    near(fired[0]['t'], case['t_stop'], 1e-8, 'it stops')


def test_dumbbell():
    check_masses('dumbbell', 'ground_dumbbell_frictionless')


def test_times_of_the_dumbbell():
    check_events('dumbbell', 'ground_dumbbell_frictionless', 'X[{},2] < 0')


def test_dumbbell_with_friction():
    check_masses('dumbbell_friction', 'ground_dumbbell_mu01')


def test_times_of_the_dumbbell_with_friction():
    check_events('dumbbell_friction', 'ground_dumbbell_mu01', 'X[{},2] < 0')
    case = CASES['ground_dumbbell_mu01']
    for e in case['events']:
        if e['type'] == 'slip_reversal':
            times = told('dumbbell_friction', 1, f'sign(U[{e["mass"]},1])')
            equal(sum(abs(t - e['t']) < 1e-8 for t in times), 1,
                  f'slip of mass {e["mass"]} turns at {e["t"]}: {times}')


def test_frame():
    check_masses('square_frame', 'ground_square_frame')


def test_times_of_the_frame():
    check_events('square_frame', 'ground_square_frame', 'X[{},2] < 0')


def test_momentum_of_the_frame():
    for rtol in RTOLS:
        _, found = run_model('square_frame', rtol, 1)
        near(sum(found[f'U[{k},1]'] for k in range(1, 5)), 4, 1e-10, 'momentum')


def test_bowl_has_no_events():
    case = CASES['ground_bowl_frictionless']
    for rtol in RTOLS:
        for i, end in enumerate(case['t']):
            known = dict(zip(('X[1]', 'X[2]', 'U[1]', 'U[2]'), case['values'][i]))
            known['H'], known['energy'] = case['observable_values'][i]
            # in contact from the start
            document = check_values('bowl', rtol, end, known, 0)
            equal(document['events'], [], 'it stays in contact')


def test_bead_with_friction():
    """Places and times of its stops are integrals: the head of the model."""
    stops = [(1.14800668637185347, -0.473326405151349479),
             (2.1883138206897887, 0.0556365738776313035)]
    for rtol in RTOLS:
        document, _ = run_model('bowl_friction', rtol, 3)
        fired = [e for e in document['events'] if e['kind'] == 'when']
        equal([e['label'] for e in fired], ['stop_slip', 'stop_slip'])
        for e, (t, x) in zip(fired, stops):
            near(e['t'], t, max(10*rtol, 1e-8), f'stops at {rtol:g}')
            check_values('bowl_friction', rtol, t, {'X[1]': x, 'X[2]': x*x/2}, 1)
        near(document['values']['X[1]'], stops[1][1], 100*rtol, 'where it sticks')


def test_a_small_cloth_falls_and_lies():
    """Of the cloth of 32 by 32, which takes a minute, one of 8 by 8. At rest every mass is
    as deep as its weight asks for: ground*depth = m*g with m = 0.3/n^2. Each has to
    touch the ground, once at least."""
    n = 8
    document, found = run_model('cloth', 1e-4, 1, '--set', f'n={n}')
    equal(found['touching'], n*n)
    depth = 0.3/n**2*9.81/30
    near(found['lowest'], -depth, 1e-6, 'lowest')
    near(found['highest'], -depth, 1e-6, 'highest')
    equal(document['stats']['events'] >= n*n, True, document['stats']['events'])


main(globals())
