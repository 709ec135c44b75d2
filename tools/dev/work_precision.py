#!/usr/bin/env python3
"""Makes docs/methods.md: what bdf-flc and ndf cost beside bdf, at equal errors.

Every model in models/ of index 0 or 1 that starts consistently is integrated
by `dae orders --study tolerances` with each method at ten tolerances. An error
is the largest of the run, of each variable by its largest value, looked for
wherever something happens, against the model's closed form or Radau IIA; one
of less than ten times what that is wrong by is left out. Counts are
interpolated in the logarithms of error and work at five errors per decade,
where all three methods reach them; a model's ratio is the geometric mean over
these errors.

usage: work_precision.py PATH-TO-dae [MODEL ...]  (Markdown on standard output)
"""
import glob
import json
import math
import subprocess
import sys

METHODS = ["bdf", "bdf-flc", "ndf"]
COUNTS = ["steps", "residual_evals", "factorizations"]
TOLERANCES = "1e-2,3e-3,1e-3,3e-4,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9"
PER_DECADE = 5
FEWEST = 5  # common errors; below that a model shows nothing
LONGEST = 1800  # seconds


def asked(dae, *words):
    """The JSON that the command prints, None where it fails or takes too long."""
    try:
        done = subprocess.run([dae, *words, "--json"], capture_output=True,
                              text=True, timeout=LONGEST)
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def is_low_index(dae, model):
    found = asked(dae, "check", model)
    if not found or not found.get("structure") or not found.get("initial"):
        return False
    return (found["structure"].get("index") in (0, 1)
            and found["initial"]["verdict"] == "consistent")


def curve(rows, method, count):
    """log error -> log work, from loose to tight, by falling errors only."""
    points = []
    for row in rows:
        if row["method"] != method or not isinstance(row.get("error"), float):
            continue
        # as large as the variable itself: it says nothing
        if not 0 < row["error"] < 1:
            continue
        if row.get("doubted") or not row.get(count):
            continue
        point = (math.log10(row["error"]), math.log10(row[count]))
        if points and point[0] >= points[-1][0]:
            continue
        points.append(point)
    return points


def work_at(points, error):
    for (e0, w0), (e1, w1) in zip(points, points[1:]):
        if e1 <= error <= e0:
            return w0 + (w1 - w0) * (error - e0) / (e1 - e0)
    return None


def common_errors(curves):
    if any(len(c) < 2 for c in curves):
        return []
    lowest = max(c[-1][0] for c in curves)
    highest = min(c[0][0] for c in curves)
    first = math.ceil(lowest * PER_DECADE)
    last = math.floor(highest * PER_DECADE)
    return [k / PER_DECADE for k in range(first, last + 1)]


def failures(rows):
    return {m: sum(1 for r in rows if r["method"] == m
                   and not isinstance(r.get("error"), float)) for m in METHODS}


def ratios(rows):
    """{(method, count): mean log ratio to bdf}, the errors compared at."""
    found, errors = {}, []
    for count in COUNTS:
        curves = {m: curve(rows, m, count) for m in METHODS}
        errors = common_errors(list(curves.values()))
        if len(errors) < FEWEST:
            return None, errors
        for m in METHODS[1:]:
            found[m, count] = sum(work_at(curves[m], e) - work_at(curves["bdf"], e)
                                  for e in errors) / len(errors)
    return found, errors


def study(dae, model):
    found = asked(dae, "orders", model, "--study", "tolerances", "--orders", "5",
                  "--methods", ",".join(METHODS), "--tolerances", TOLERANCES,
                  "--max-steps", "4000000", "--no-times")
    return found["adaptive"] if found and found.get("adaptive") else None


HEAD = """# Three methods beside each other

Made by `tools/dev/work_precision.py build/release/dae`; do not edit. Each model of index 0 or 1 in
`models/` that starts consistently is integrated by

    dae orders MODEL --study tolerances --orders 5 --methods bdf,bdf-flc,ndf --max-steps 4000000 --tolerances {tolerances}

An error is the largest of the run, of each variable by its largest value, at steps of a run at
1e-6, even times and those of the model's logarithmic grid, against the closed form or Radau IIA of
order 9 at half of such steps (a run of `ndf` at 1e-12 where Radau does not get through); errors of 1 and more and those of
less than ten times what that may be wrong by are left out. Figures are work of `bdf-flc` and `ndf` over work of `bdf`
**at equal error**: counts interpolated in the logarithm between tolerances, at five errors per
decade, geometric mean over the errors all three reach (the second column). Below 1 is less work than
`bdf`. There are no times here: the same program prints the same table.
"""


def main():
    dae = sys.argv[1]
    models = sys.argv[2:] or sorted(glob.glob("models/*/*.dae"))
    print(HEAD.format(tolerances=TOLERANCES))
    print("| model | errors | bdf-flc: steps | residuals | factorizations "
          "| ndf: steps | residuals | factorizations |")
    print("|---|---|---|---|---|---|---|---|")
    sums, shown, quiet, lost = {}, 0, [], []
    for model in models:
        if not is_low_index(dae, model):
            continue
        name = model.rsplit("/", 1)[-1].removesuffix(".dae")
        rows = study(dae, model)
        if rows is None:
            quiet.append(name)
            continue
        lost += [(name, m, k) for m, k in failures(rows).items() if k]
        found, errors = ratios(rows)
        if found is None:
            quiet.append(name)
            continue
        shown += 1
        for key, value in found.items():
            sums[key] = sums.get(key, 0) + value
        print(f"| {name} | 1e{errors[-1]:+.1f} .. 1e{errors[0]:+.1f} | " + " | ".join(
            f"{10 ** found[m, c]:.2f}" for m in METHODS[1:] for c in COUNTS) + " |",
            flush=True)
    print(f"| **all {shown}** | | " + " | ".join(
        f"**{10 ** (sums[m, c] / shown):.2f}**"
        for m in METHODS[1:] for c in COUNTS) + " |")
    print(f"\nRuns that did not reach the end: "
          + (", ".join(f"{n} with {m} at {k} of 10 tolerances" for n, m, k in lost)
             or "none") + ".")
    if quiet:
        print("\nNot in the table, since fewer than five errors are reached by all "
              "three or no reference was to be had: " + ", ".join(quiet) + ".")


main()
