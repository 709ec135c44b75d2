#!/usr/bin/env python3
"""Closed forms of models with events, for tests/command/closed_forms_test.py.

    python3 derive.py > closed_forms.json

Event times and values from formulas (mechanics.py, elsewhere.py, stops.py), with 50
digits by mpmath 1.3; phases.py checks each formula against the equations that
it solves. Nothing here integrates, and nothing knows of the solver."""

import json

import elsewhere
import mechanics
import stops


def lines(value, depth):
    """JSON with what is deeper than `depth` on one line."""
    if depth == 0 or not isinstance(value, (dict, list)) or not value:
        return json.dumps(value)
    rows = [lines(v, depth - 1) for v in value] if isinstance(value, list) else [
        f'{json.dumps(k)}: {lines(v, depth - 1)}' for k, v in value.items()]
    left, right = '[]' if isinstance(value, list) else '{}'
    return left + '\n' + ',\n'.join(rows) + '\n' + right


makers = mechanics.CASES + elsewhere.CASES + stops.CASES
cases = {make.__name__: make() for make in makers}
print(lines({'about': 'Made by derive.py; 25 digits.', 'cases': cases}, 4))
