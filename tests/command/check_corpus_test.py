"""The structure corpus (tests/data/structure) through `dae check`: each entry
is written as a model, with the values that may be chosen as conditions and
guesses a little off its consistent point for the rest."""

import json
import os
import re

import satisfy
from support import ROOT, dae, equal, is_watched, main, write

PATH = os.path.join(ROOT, 'tests', 'data', 'structure', 'corpus.json')
with open(PATH, encoding='utf-8') as file:
    ENTRIES = {e['name']: e for e in json.load(file)['entries']}

# printed to 16 digits, computed to 12 or better
TOLERANCE = 1e-9
# of a guess, times 1 + its size: far from converged, near enough to the branch
OFF = 1e-3

# One value more that is 0.1*(1 + size) off, and what it then contradicts: the
# equations that any proof of the contradiction must use, by hand.
WRONG = {
    'ode_vdp': ("x'", "f1"),
    'vdp_reduced': ("z", "f2"),
    'robertson_dae': ("y3", "f3"),
    'chem_akzo': ("y6", "f6"),
    'implicit_ode_nonsing': ("x'", "f1 f2"),
    'mass_spring_energy': ("x'", "f1"),
    'algebraic_only': ("x", "f1"),
    'rc_ladder3': ("i1", "f2"),
    'algloop3': ("a", "f2 f3 f4"),
    'chain_k1': ("y2", "f1 f2'"),
    'chain3_gamma': ("c2", "f2 f3'"),
    'chain_k5': ("y3", "f1''' f2'' f3' f4"),
    'pendulum': ("y", "f3"),
    'pendulum_fo': ("x", "f5"),
    'pendulum_index2': ("u", "f5"),
    'pendulum_index1': ("lam", "f5"),
    'chained_pendula_P2': ("y1", "f3"),
    'chained_pendula_P3': ("y1", "f3"),
    'double_pendulum': ("y2", "f6"),
    'car_axis': ("xl", "f5"),
    'slider_crank_rigid': ("p2", "f4"),
    'andrews_squeezer': ("be", ""),
    'fekete_N4_index3': ("z1", "f13"),
    'fekete_N20_index2': ("z1", "f121"),
    'rigid_gear': ("a", "f5"),
    'robot_arm': ("x1", "f4 f5"),
    'robot_arm_fixed': ("x1", "f4 f5"),
    'invert_reldeg2': ("x2", "f1 f4'"),
    'stirred_tank_1': ("c0", "f2"),
    'stirred_tank_2': ("c0", "f1 f2'"),
    'cstr_index1': ("R", "f3"),
    'cstr_index3': ("R", "f1 f4'"),
    'batch_distillation_i2': ("x1", "f4"),
    'cv_loop_min': ("iv", "f1 f2'"),
    'li_cutset': ("v", "f1 f2'"),
    'series_inductors': ("i2", "f3"),
    'opamp_differentiator': ("e3", "f2 f4' f5'"),
    'transistor_amp': ("y2", "f1 f2"),
    'ring_modulator_cs0': ("y13", "f3 f4 f5 f6"),
    'rmb_5': ("x1", "f1 f2"),
    'gear_petzold': ("y", "f1' f2"),
    'choquet_linear': ("x1", "f1 f2 f3' f4 f4'"),
    'implicit_mass_singular': ("x1", "f1 f1' f2'"),
    'matlab_toode': ("y", "f1 f2"),
    'mattsson_soderlind': ("x2", "f1"),
    'formal_cancel': ("x", "f1' f2"),
    'bcp_switch': ("x3", "f3"),
    'hessenberg2_ap': ("x2", "f3"),
    'hessenberg3_nl': ("y", "f4"),
    'blocks_three': ("y", "f5"),
    'stokes_pinned': ("v1", "f5"),
}

# entries without a finite index: code and a word of the message
NO_INDEX = {
    'pendulum_redundant': 'redundant',
    'diff_redundant': 'redundant',
    'floating_circuit': 'same number',
    'bcp_singular_ltv': 'not uniquely',
}

# Refuted structures that no combination with constant weights mends: their index
# is found by ranks, and stands beside the structural one of the entry as it is.
BY_RANKS = {'robot_arm', 'matlab_toode'}

# index and degrees of freedom at the special points that solve the equations:
# of the turning point those beside it, of the branch its own (the entry's note)
HERE = {'mass_spring_energy': (0, 1), 'bcp_switch': (2, 0)}


# ---- an entry as a model --------------------------------------------------------

def replaced(text, definitions):
    """Definitions are macros, and may use each other."""
    for _ in range(len(definitions) + 1):
        for name, value in definitions.items():
            text = re.sub(rf'\b{name}\b', lambda m, v=value: f'({v})', text)
    return text


def point_of(entry):
    """The consistent point by the names of a model: x_d1 is x'."""
    point = entry['consistent_point']

    def plain(name):
        primes = len(name) - len(name.rstrip("'"))
        base = name.rstrip("'")
        m = re.fullmatch(r'(.*)_d(\d+)', base)
        if m and m[1] in entry['variables']:
            base, primes = m[1], primes + int(m[2])
        return base + "'" * primes

    return {plain(n): v for n, v in
            [*point['values'].items(), *point['derivatives'].items()]}


def texts_of(entry):
    """The equations, without terms that cancel."""
    if 'formal_signature_differs_from_simplified' in entry['structural']:
        return entry['after_remedy']['equations']
    return [replaced(q['eq'], entry['definitions'])
            for q in entry['equations']]


def order_in(entry, variable):
    """The highest derivative that occurs."""
    primes = [len(m) for text in texts_of(entry)
              for m in re.findall(rf"\b{variable}\b('*)", text)]
    return max(primes, default=0)


def model_of(entry, fixed, guesses):
    lines = []
    if entry['parameters']:
        lines.append('param ' + ', '.join(
            f'{n} = {v!r}' for n, v in entry['parameters'].items()))
    lines.append('var ' + ', '.join(entry['variables']))
    for q in entry['equations']:
        lines.append(f"{q['name']}: {replaced(q['eq'], entry['definitions'])}")
    lines += [f'init {n} = {v!r}' for n, v in fixed.items()]
    lines += [f'init {n} ~ {v!r}' for n, v in guesses.items()]
    t0 = entry['t0']
    lines.append(f'solve t in {t0!r}..{t0 + 1!r}')
    return '\n'.join(lines) + '\n'


def reported(entry, fixed, guesses):
    path = write(entry['name'] + '.dae', model_of(entry, fixed, guesses))
    result = dae('check', path, '--json', '--no-times')
    return result.status, result.json


def free_values(entry, point):
    return {n: point[n] for n in entry['consistent_point']['free_choice']}


def guesses_for(entry, point, fixed):
    """Every other value and derivative that occurs, moved off."""
    guesses = {}
    for j, v in enumerate(entry['variables']):
        for k in range(order_in(entry, v) + 1):
            name = v + "'" * k
            if name in point and name not in fixed:
                side = 1 if (j + k) % 2 else -1
                guesses[name] = point[name] + side * OFF * (
                    1 + abs(point[name])) * scale_of(entry)
    return guesses


def scale_of(entry):
    """The diodes of the ring modulator are exponentials of 18 per volt, and
    its currents are microamperes."""
    return 1e-2 if entry['name'] == 'ring_modulator_cs0' else 1


def each(check, names):
    """Runs a check for all entries before it fails; where everything is watched,
    for one of three."""
    faults = []
    for name in list(names)[::3] if is_watched() else names:
        try:
            check(ENTRIES[name])
        except (AssertionError, LookupError, TypeError, ValueError) as e:
            faults.append(f'{name}: {type(e).__name__} {e}')
    if faults:
        raise AssertionError(f'{len(faults)} entries\n' + '\n'.join(faults))


def entries_where(test):
    return [n for n, e in ENTRIES.items() if test(e)]


def succeeds(e):
    return e['sigma_method'].startswith('succeeds')


def fails(e):
    return e['sigma_method'].startswith('fails')


def has_index(e):
    return e['differentiation_index'] is not None


# ---- structure --------------------------------------------------------------------

def check_consistent(entry, status, document, point):
    initial = document['initial']
    equal(initial['verdict'], 'consistent', 'verdict')
    equal(status, 0, 'exit status')
    for name, value in {**initial['values'],
                        **initial['derivatives']}.items():
        if name not in point:
            continue  # higher than the corpus knows
        if name in initial['undetermined']:
            continue  # no equation says
        if value is None or abs(value - point[name]) > TOLERANCE * (
                1 + abs(point[name])):
            raise AssertionError(f'{name} is {value!r}, not {point[name]!r}')
    for v in entry['variables']:
        for k in range(order_in(entry, v) + 1):
            kind = 'derivatives' if k else 'values'
            if v + "'" * k not in initial[kind]:
                raise AssertionError(f"{v + k * chr(39)} has no value")


def check_structure(entry):
    point = point_of(entry)
    fixed = free_values(entry, point)
    status, document = reported(entry, fixed, guesses_for(entry, point, fixed))
    s, facts = document['structure'], entry['structural']
    labels = [q['name'] for q in entry['equations']]
    equal(s['regular'], True, 'regular')
    equal(s['equation_offsets'], dict(zip(labels, facts['c'])), 'c')
    equal(s['variable_offsets'], dict(zip(entry['variables'], facts['d'])),
          'd')
    equal(s['structural_index'], facts['structural_index'], 'structural index')
    equal(sorted((len(b['equations']) for b in s['blocks']), reverse=True),
          sorted(facts['fine_blocks'], reverse=True), 'fine blocks')
    equal(s['index'], entry['differentiation_index'], 'index')
    equal(s['degrees_of_freedom'], entry['degrees_of_freedom'],
          'degrees of freedom')
    equal(s['certified'], True, 'certified')
    equal(s['repairs'], [], 'repairs')
    equal(document['initial']['degrees_of_freedom'],
          entry['degrees_of_freedom'], 'degrees of freedom of the start')
    check_consistent(entry, status, document, point)


def test_entries_of_the_signature_method_are_judged_and_completed():
    names = entries_where(succeeds)
    equal(len(names), 43, 'entries')
    each(check_structure, names)


def check_repaired(entry):
    point = point_of(entry)
    fixed = free_values(entry, point)
    status, document = reported(entry, fixed, guesses_for(entry, point, fixed))
    s, facts = document['structure'], entry['structural']
    equal(s['regular'], True, 'regular')
    if 'formal_signature_differs_from_simplified' in facts:
        facts = entry['after_remedy']  # x' - x' is no entry
    else:
        # with constant weights where that is enough, else by ranks
        equal(bool(s['repairs']), entry['name'] not in BY_RANKS, 'repaired')
    equal(s['structural_index'], facts['structural_index'], 'structural index')
    equal(s['index'], entry['differentiation_index'], 'index')
    equal(s['degrees_of_freedom'], entry['degrees_of_freedom'],
          'degrees of freedom')
    # ranks taken with its own parameters are doubtful, the corpus says, too
    if 'index_checked_with_parameters' not in entry:
        equal(s['certified'], True, 'certified')
    check_consistent(entry, status, document, point)


def test_entries_where_it_fails_are_repaired():
    names = entries_where(lambda e: fails(e) and has_index(e))
    equal(len(names), 8, 'entries')
    each(check_repaired, names)


def check_no_index(entry):
    point = point_of(entry)
    fixed = free_values(entry, point)
    _, document = reported(entry, fixed, guesses_for(entry, point, fixed))
    s = document['structure']
    equal(s['regular'], True, 'regular')
    equal(s['index'], None, 'index')
    equal(s['structural_index'], entry['structural']['structural_index'],
          'structural index')
    said = ' '.join(d['message'] for d in document.get('diagnostics', [])
                    if d['code'] in ('W0305', 'E0304'))
    if NO_INDEX[entry['name']] not in said:
        raise AssertionError(f'{NO_INDEX[entry["name"]]!r} is not said: '
                             f'{document.get("diagnostics")}')


def test_entries_without_an_index_get_their_verdict_by_name():
    equal(sorted(entries_where(
        lambda e: fails(e) and not has_index(e))), sorted(NO_INDEX), 'entries')
    each(check_no_index, NO_INDEX)


def check_parts(entry):
    path = write(entry['name'] + '.dae', model_of(entry, {}, {}))
    result = dae('check', path, '--json', '--no-times')
    equal(result.status, 3, 'exit status')
    document = result.json
    equal(document['equations'], entry['n_equations'], 'equations')
    equal(document['unknowns'], entry['n_variables'], 'unknowns')
    s = document['structure']
    equal(s['regular'], False, 'regular')
    equal(s['index'], None, 'index')
    parts = entry['structural']['dulmage_mendelsohn']
    for short in ('over', 'under'):
        part = s['singular'][short + 'determined']
        equal({e['name'] for e in part['equations']},
              set(parts[short]['equations']), f'equations {short}')
        equal({u['name'] for u in part['unknowns']},
              set(parts[short]['variables']), f'unknowns {short}')
    code = 'E0302' if entry['n_equations'] == entry['n_variables'] else 'E0301'
    equal([d['code'] for d in document['diagnostics']], [code], 'codes')


def test_singular_entries_name_the_parts():
    names = entries_where(lambda e: not succeeds(e) and not fails(e))
    equal(len(names), 3, 'entries')
    each(check_parts, names)


# ---- one condition too many, and wrong ----------------------------------------------

def parties_of(document):
    return {p['name'] if p['name'].endswith("'")
            else p['name'] + "'" * (p.get('differentiated') or 0)
            for p in document['initial']['conflicts']}


def check_rejected(entry):
    point = point_of(entry)
    name, constraints = WRONG[entry['name']]
    fixed = free_values(entry, point)
    fixed[name] = point[name] + 0.1 * (1 + abs(point[name]))
    status, document = reported(entry, fixed, guesses_for(entry, point, fixed))
    equal(document['initial']['verdict'], 'inconsistent', 'verdict')
    equal(status, 1, 'exit status')
    equal([d['code'] for d in document['diagnostics'] if d['code'][0] == 'E'],
          ['E0401'], 'codes')
    parties = parties_of(document)
    if not {name, *constraints.split()} <= parties:
        raise AssertionError(f'{name} with {constraints} is not among '
                             f'{sorted(parties)}')
    equal(faults_of_set(entry, parties, fixed, point), [], sorted(parties))


def faults_of_set(entry, parties, fixed, point):
    """By another solver: that they contradict each other, and that without any
    one of them they do not."""
    texts = {q['name']: replaced(q['eq'], entry['definitions'])
             for q in entry['equations']}
    system = satisfy.System(
        texts, entry['variables'], entry['parameters'], entry['t0'])
    slots = {satisfy.party(n, system.unknowns)[:2]: v
             for n, v in point.items()}
    return satisfy.faults_of(system, sorted(parties), fixed, slots)


def test_a_wrong_value_is_rejected_naming_its_constraint():
    names = entries_where(lambda e: has_index(e))
    equal(sorted(WRONG), sorted(names), 'entries')
    each(check_rejected, names)


# Where the system Jacobian loses rank and nothing solves: what leaves nothing to
# solve for, and it alone (1 - y^2 = 0 takes z out of f2).
LOST = {'vdp_reduced': {'y', 'f2'}}


# ---- points where the index is another one --------------------------------------------

def check_special(entry):
    for special in entry['special_points']:
        values = special['values']
        fixed = {n: v for n, v in values.items() if "'" not in n}
        guesses = {n: v for n, v in values.items() if "'" in n}
        if special['max_residual'] > 0:  # nothing solves it: guess the rest
            given = entry['consistent_point']['free_choice']
            guesses.update({n: v for n, v in fixed.items() if n not in given})
            fixed = {n: fixed[n] for n in given}
        status, document = reported(entry, fixed, guesses)
        codes = {d['code'] for d in document.get('diagnostics', [])}
        if special['max_residual'] > 0:
            equal(document['initial']['verdict'], 'inconsistent', 'verdict')
            equal(status, 1, 'exit status')
            equal(codes - {'W0306'}, {'E0401'}, 'codes')
            equal(parties_of(document), LOST[entry['name']], 'parties')
        else:
            equal('W0306' in codes, True, f'W0306 among {sorted(codes)}')
            equal(document['initial']['verdict'], 'consistent', 'verdict')
            index, dof = HERE[entry['name']]
            equal(document['structure']['index'], index, 'index here')
            equal(document['structure']['degrees_of_freedom'], dof,
                  'degrees of freedom here')


def test_special_points_are_flagged():
    names = entries_where(lambda e: 'special_points' in e)
    equal(len(names), 3, 'entries')
    each(check_special, names)


main(globals())
