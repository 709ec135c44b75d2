"""A ring modulator whose diodes stop conducting: voltages that are slopes of
currents, known no better than the rounding of these over the step. Steps were cut to
nothing there (E0501), by `bdf-flc` at 1e-8, by all formulas at 1e-9."""

import os

from support import ROOT, dae, equal, main

MODEL = os.path.join(ROOT, 'models/circuits/ring_modulator_limit.dae')
# where all diodes stop conducting for the first time
TO = '6e-5'


def run(method, rtol, *words):
    result = dae('run', MODEL, '--json', '--no-times', '--method', method,
                 '--rtol', rtol, '--atol', str(float(rtol)/100), *words)
    if result.status not in (0, 1):
        raise AssertionError(f'{method} {rtol}: {result.status}\n{result.err}')
    return result.json


def test_diodes_that_stop_conducting():
    """The values at the end do not depend on the method."""
    known = run('bdf', '1e-8', '--to', TO)['values']
    for method in ('bdf', 'bdf-flc', 'ndf'):
        for rtol in ('1e-9', '1e-10'):
            d = run(method, rtol, '--to', TO)
            for name, value in known.items():
                if abs(d['values'][name] - value) > 1e-6:
                    raise AssertionError(f'{method} {rtol} {name}: '
                                         f"{d['values'][name]} {value}")
            equal([x['code'] for x in d.get('diagnostics', [])
                   if x['code'].startswith('E05')], [], f'{method} {rtol}')


def test_fixed_leading_coefficient_to_the_end():
    equal(dae('run', MODEL, '--method', 'bdf-flc').status, 0)


main(globals())
