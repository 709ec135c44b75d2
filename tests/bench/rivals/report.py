"""The page docs/rivals.md from the driver's lines."""

import math

import cells
import work

HEAD = """# Beside other solvers

Made by `tests/bench/rivals/rivals.py`; do not edit. It runs our engines, SUNDIALS IDA 6.4.1
(built with -O3; Debian's binary package is compiled without optimisation), DASPK and RADAU5 (as in
R's package deSolve) in turns in one process, on the same equations with the same analytic
derivatives written in C. `ours-radau` is our Radau IIA on these, `ours-model` our BDF engine on the same
problems written in the language, `ours-auto` the method that `--method auto` takes for those.

## How it is measured

* Every problem is run at nine tolerances, rtol = 1e-3 to 1e-8 in steps of 10^(5/8), and at two more
  on either side for interpolation. atol is rtol times the factor of the problem (below).
* Each run starts from the same consistent values and gives {outputs} outputs over the interval
  (Robertson's reaction: spaced by equal factors). The error of a run is the root mean square, over
  all outputs and all unknowns, of |x - reference|/(|reference| + atol/rtol): the same norm at all
  tolerances. The reference is RADAU5 at rtol 1e-11 to 1e-13, above index 1 our Radau IIA at 1e-10
  or 1e-11 on the reduced model; at the end it is compared with the published values, in the same norm
  (Robertson's by three differential equations).
* Problems of index 2 and 3 are given to the others as they stand: RADAU5 and DASPK are told how many
  unknowns are of index 1, 2 and 3; IDA and DASPK leave multipliers out of the error test, and with index 3
  speeds too, as they need. Ours are told nothing, and reduce the index. Compared are places and speeds, of
  Andrews' mechanism the angles, of Fekete's points the places. Without models there is no reduction, so `ours`
  and `ours-radau` take no part in these.
* The medical Akzo Nobel problem, 400 equations with a band, is no model here and left out.
* A ratio is work at EQUAL ERROR: log work is interpolated over log error (neighbouring tolerances
  whose errors do not fall are replaced by their means), ours is taken at the errors IDA has at the
  nine tolerances, and the median of the nine ratios stands in the table. At larger errors than a
  code's largest its least work counts; smaller errors than its smallest are left out.
* Time is the least processor time of one integration with creation, outputs and freeing, without
  loading the model. IDA's is that of the faster of its dense and (from 15 unknowns on) KLU runs.
* Steps are accepted ones. Residuals are evaluations of F (of f for RADAU5). RADAU5 counts a real
  and a complex factorization of the same Jacobian as one.
* The mean is geometric, over all problems but the transistor amplifier, where IDA itself wavers.

"""

REFERENCES = """## Problems

| problem | unknowns | index | interval | atol/rtol | reference against published |
|---|---|---|---|---|---|
"""


def sweep_and_ladder(lines):
    """The ladder's lines end where another problem is named."""
    cut = next((i for i, r in enumerate(lines) if "ladder" in r), len(lines))
    end = next((i for i, r in enumerate(lines) if i > cut and "reference" in r), len(lines))
    runs = [r for r in lines[:cut] + lines[end:] if "solver" in r]
    return runs, [r for r in lines[cut:end] if "solver" in r]


def modelled(runs):
    """Those that a model is run of beside another solver."""
    names = list(dict.fromkeys(r["problem"] for r in runs if "solver" in r and r["solver"] == "ours-auto"))
    return [p for p in names if any(work.of(runs, p, s) for s in cells.RIVALS)]


def problems(runs):
    return list(dict.fromkeys(r["problem"] for r in runs))


def fastest_ida(runs, problem):
    """IDA's runs with the better time of its two linear solvers."""
    sparse = {r["rtol"]: r["seconds"] for r in work.of(runs, problem, "ida-klu")}
    return [dict(r, seconds=min(r["seconds"], sparse.get(r["rtol"], math.inf)))
            for r in work.of(runs, problem, "ida")]


def ratios(runs, solver, column):
    """By problem, over IDA."""
    return {p: work.ratio(work.of(runs, p, solver), fastest_ida(runs, p), column) for p in problems(runs)}


def cell(value, bar=None):
    if math.isnan(value):
        return "-"
    text = f"{value:.2f}"
    return f"**{text}**" if bar is not None and value > bar else text


def mean_of(by_problem):
    return work.geometric([v for p, v in by_problem.items() if p != work.APART])


def compared(table):
    """The problems of which a table says something, then the mean, then the one apart."""
    known = [p for p in next(iter(table.values())) if not all(math.isnan(t[p]) for t in table.values())]
    return [*(p for p in known if p != work.APART), None, work.APART]


def ratio_table(runs, solver, columns):
    table = {c: ratios(runs, solver, c) for c in columns}
    out = ["| problem | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for p in compared(table):
        values = [mean_of(table[c]) if p is None else table[c].get(p, math.nan) for c in columns]
        bars = [work.BARS.get(c) if p is None and solver == "ours" else None for c in columns]
        name = "**mean**" if p is None else p
        out.append(f"| {name} | " + " | ".join(map(cell, values, bars)) + " |")
    return "\n".join(out) + "\n"


def time_table(runs, solvers):
    """Times over IDA's at equal error."""
    table = {s: ratios(runs, s, "seconds") for s in solvers}
    out = ["| problem | " + " | ".join(solvers) + " |", "|---" * (len(solvers) + 1) + "|"]
    for p in compared(table):
        values = [mean_of(table[s]) if p is None else table[s].get(p, math.nan) for s in solvers]
        out.append(f"| {'**mean**' if p is None else p} | " + " | ".join(map(cell, values)) + " |")
    return "\n".join(out) + "\n"


def mebdfi_table(runs, mebdfi):
    columns = work.COUNTS
    out = ["| problem | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for p in (p for p in problems(runs) if p in mebdfi["runs"]):
        theirs = [dict(r, error=10 ** -r["digits"] if r["ok"] else 0) for r in mebdfi["runs"].get(p, [])]
        ours = [dict(r, error=r["end_error"]) for r in work.of(runs, p, "ours")]
        out.append(f"| {p} | " + " | ".join(cell(work.ratio(ours, theirs, c)) for c in columns) + " |")
    return "\n".join(out) + "\n"


def run_table(runs):
    out = ["| problem | rtol | solver | error | steps | residuals | Jacobians | factorizations | ms |",
           "|---" * 9 + "|"]
    for r in runs:
        if not work.is_asked(r):
            continue
        head = f"| {r['problem']} | {r['rtol']:.1e} | {r['solver']} | "
        if not r["ok"]:
            out.append(head + f"failed: {r['message'][:60]} | | | | | |")
            continue
        out.append(head + f"{r['error']:.1e} | {r['steps']} | {r['residuals']} | {r['jacobians']} | "
                   f"{r['factorizations']} | {1e3 * r['seconds']:.3g} |")
    return "\n".join(out) + "\n"


def failures(runs):
    found = [r for r in runs if not r["ok"]]
    if not found:
        return "None.\n"
    return "".join(f"* {r['solver']}, {r['problem']} at rtol {r['rtol']:.1e}: {r['message'][:120].strip()}\n"
                   for r in found)


def jump_table(ladder):
    out = ["| solver | largest factor | from rtol | to rtol | bar |", "|---|---|---|---|---|"]
    for s in dict.fromkeys(r["solver"] for r in ladder):
        factor, a, b = work.jump(ladder, s)
        bar = work.JUMP_BAR if s.startswith("ours") else ""
        out.append(f"| {s} | {factor:.2f} | {a:.1e} | {b:.1e} | {bar} |")
    return "\n".join(out) + "\n"


def page(lines, mebdfi, with_times):
    runs, ladder = sweep_and_ladder(lines)
    columns = [*work.COUNTS, *(["seconds"] if with_times else [])]
    text = HEAD.format(outputs=40) + REFERENCES
    for r in lines:
        if "reference" in r:
            index = r["index"] if r["index"] > 1 else "0, 1"
            text += (f"| {r['problem']} | {r['unknowns']} | {index} | 0 .. {r['t1']:g} | {r['atol_factor']:g} | "
                     f"{r['reference']:.1e} |\n")
    text += "\n" + cells.section(runs, modelled(runs))
    if not with_times:
        text += "\n(One run each, for a check of the command.)\n"
    bars = ", ".join(f"{k} {v:.2f}" for k, v in work.BARS.items())
    text += f"\n## Ours over IDA at equal error\n\nThe mean is to be at most: {bars}.\n\n"
    text += ratio_table(runs, "ours", columns)
    text += "\nThe same engine on the compiled models:\n\n" + ratio_table(runs, "ours-model", columns)
    if with_times:
        text += "\n## Time over IDA's at equal error\n\n"
        text += time_table(runs, ["ours", "ours-radau", "ours-model", "ours-auto", "daspk", "radau5"])
    text += "\nRadau IIA, in C and on the compiled models:\n\n" + ratio_table(runs, "ours-radau", columns)
    text += "\n" + ratio_table(runs, "ours-auto", columns)
    text += "\n## DASPK and RADAU5 over IDA at equal error\n\nDASPK:\n\n" + ratio_table(runs, "daspk", columns)
    text += "\nRADAU5:\n\n" + ratio_table(runs, "radau5", columns)
    text += ("\n## Ours over MEBDFI\n\nMEBDFI is in no Debian package; its counts were measured apart "
             "(`tests/data/reference/mebdfi.json`).\nError here is the largest at the end of the interval. "
             "Its steps have three stages.\n\n")
    text += mebdfi_table(runs, mebdfi)
    text += ("\n## Steps from one tolerance to the next\n\nTransistor amplifier, 21 tolerances from 1e-3 "
             "down by factors of 2: the largest ratio of steps\nat two tolerances a factor 4 apart.\n\n")
    text += jump_table(ladder)
    text += "\n## Runs that failed\n\nAll tolerances, the additional ones too.\n\n" + failures(runs + ladder)
    if with_times:
        text += "\n## All runs\n\n" + run_table(runs)
    return text


def verdict(lines):
    """One line per bar: kept or missed."""
    runs, ladder = sweep_and_ladder(lines)
    out = []
    for column, bar in work.BARS.items():
        value = mean_of(ratios(runs, "ours", column))
        out.append(f"{'kept  ' if value <= bar else 'MISSED'} {column} {value:.3f} (bar {bar:.2f})")
    value = work.jump(ladder, "ours")[0]
    out.append(f"{'kept  ' if value <= work.JUMP_BAR else 'MISSED'} jump {value:.2f} (bar {work.JUMP_BAR})")
    return "\n".join(out)
