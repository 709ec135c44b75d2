#!/usr/bin/env python3
"""Short tables from the driver's lines: table.py FILE [SOLVER [BASE]]"""

import json
import sys

import work

runs = [json.loads(line) for line in open(sys.argv[1])]
cut = next((i for i, r in enumerate(runs) if "ladder" in r), len(runs))
sweep = [r for r in runs[:cut] if "solver" in r]
steps = [r for r in runs[cut:] if "solver" in r]
solver = sys.argv[2] if len(sys.argv) > 2 else "ours"
base = sys.argv[3] if len(sys.argv) > 3 else "ida"
columns = [*work.COUNTS, "seconds"]
problems = list(dict.fromkeys(r["problem"] for r in sweep))
print(f"{solver + '/' + base:16}", *(f"{c[:8]:>8}" for c in columns))
means = {c: [] for c in columns}
for p in problems:
    row = [work.ratio(sweep, p, solver, base, c) for c in columns]
    print(f"{p:16}", *(f"{v:8.2f}" for v in row))
    for c, v in zip(columns, row):
        if p != work.APART:
            means[c].append(v)
print(f"{'mean':16}", *(f"{work.geometric(means[c]):8.3f}" for c in columns))
for s in (solver, base):
    print(s, "jump %.2f at %.2e %.2e" % work.jump(steps, s))
