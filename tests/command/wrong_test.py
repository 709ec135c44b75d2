"""Wrong models whose mistake only the command finds: `expect` lines that do
not hold, settings that the integrator does not know, no `solve` line. Lines
`# expect error E0601 4:1` in tests/wrong/command list all diagnostics with
their places, `-` where there is none (tests/lang/wrong_models_test.c has the
other folders)."""

import json
import os
import re

from support import ROOT, dae, equal, main

FOLDER = os.path.join(ROOT, 'tests', 'wrong', 'command')
EXPECT = re.compile(r'^# expect (\w+) ([EWN]\d{4}) (?:(\d+):(\d+)|-)$', re.M)


def expected(text):
    return sorted((int(line or 0), int(column or 0), code, severity)
                  for severity, code, line, column in EXPECT.findall(text))


def told(path):
    result = dae('run', path, '--json', '--no-times')
    document = json.loads(result.out)
    return sorted((d['line'] or 0, d['column'] or 0, d['code'], d['severity'])
                  for d in document.get('diagnostics', []))


def test_each_mistake_is_told_at_its_place():
    names = sorted(n for n in os.listdir(FOLDER) if n.endswith('.dae'))
    assert len(names) >= 8, names
    for name in names:
        path = os.path.join(FOLDER, name)
        with open(path, encoding='utf-8') as file:
            text = file.read()
        assert EXPECT.search(text), f'{name} has no expectation'
        equal(told(path), expected(text), name)


main(globals())
