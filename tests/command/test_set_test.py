"""Problems of the IVP test set with continuous switches: they reach their end, with errors in proportion to the tolerance, against the
published values that the models' `expect` lines have.

    test_set_test.py DAE ROOT
"""
import os
import re

from support import DAE, ROOT, dae, equal, main

# The largest relative error at the end, in tolerances, of what is not below 1e-4 of its kind.
MOST = 100


def reference(path):
    """What the model expects at its end."""
    lines = open(path, encoding='utf-8').read()
    found = re.findall(r'^expect ([\w\[\]\']+) ~ (\S+) within \S+ final$', lines, re.M)
    return {name: float(value) for name, value in found}


def largest_error(path, rtol, atol, names):
    document = dae('run', path, '--json', '--rtol', repr(rtol), '--atol', repr(atol)).json
    equal(document['status'], 'done', f'{path} at {rtol:g}')
    values = {**document['values'], **document['derivatives']}
    for name in list(values):
        if isinstance(values[name], list):
            for k, value in enumerate(values[name]):
                base = name.rstrip("'")
                values[f"{base}[{k + 1}]{name[len(base):]}"] = value
    expected = reference(path)
    return max(abs(values[n] - expected[n])/max(abs(expected[n]), 1e-4) for n in names)


def test_nand_gate():
    path = os.path.join(ROOT, 'models/circuits/nand_gate.dae')
    for k in range(3, 10):
        rtol = 10**-k
        error = largest_error(path, rtol, rtol, ['u[5]', 'u[6]', 'u[7]', 'u[1]', 'u[2]'])
        equal(error <= MOST*rtol, True, f'{error:.2g} at {rtol:g}')


def test_wheelset():
    path = os.path.join(ROOT, 'models/mechanics/wheelset.dae')
    for rtol in (1e-4,):
        error = largest_error(path, rtol, rtol, ['x', 'theta', 'beta', 'xi[1]', 'xi[2]'])
        equal(error <= MOST*rtol, True, f'{error:.2g} at {rtol:g}')


def test_elastic_rod():
    """Its small coordinates are states, without a nominal size."""
    path = os.path.join(ROOT, 'models/mechanics/slider_crank_flexible.dae')
    for rtol in 1e-8, 1e-10:
        error = largest_error(path, rtol, rtol/1000, ['phi2', 'x', 'q[1]', "phi2'", "x'"])
        equal(error <= MOST*rtol, True, f'{error:.2g} at {rtol:g}')


main(globals())
