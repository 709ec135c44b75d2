"""Times at equal error, cell by cell: a cell is a problem and an error."""

import math

import work

ERRORS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
ODD = (1e-3, 1e-5, 1e-7)  # 3, 5 and 7 digits, as the usual tables of work have them
MISSED = 20  # what a cell counts whose error ours does not reach, and another does
RIVALS = ("ida", "daspk", "radau5", "mebdfi")
SIX = ("robertson", "hires", "pollution", "chemakzo", "van_der_pol", "transistor")
EIGHT = (*SIX, "pendulum", "car_axis")
# name, ours, others of whom the fastest counts
COLUMNS = (("auto/best", "warm-auto", RIVALS), ("auto/IDA", "warm-auto", ("ida",)),
           ("bdf/IDA", "warm-bdf", ("ida",)), ("whole auto/best", "ours-auto", RIVALS),
           ("whole auto/IDA", "ours-auto", ("ida",)), ("whole bdf/IDA", "ours-model", ("ida",)))


def of(runs, problem, solver):
    """A solver's runs; IDA's with the better of its two linear solvers."""
    sparse = {r["rtol"]: r for r in work.of(runs, problem, "ida-klu")} if solver == "ida" else {}
    return [min((r, sparse.get(r["rtol"], r)), key=lambda q: q["seconds"] if q["ok"] else math.inf)
            for r in work.of(runs, problem, solver)]


def log_time(runs, problem, solver, error):
    """None where the solver does not reach the error."""
    return work.work_at(work.monotone(of(runs, problem, solver), "seconds"), math.log(error))


def cell(runs, problem, error, ours, others):
    """The ratio and who was the fastest of the others; None where none of them gets there."""
    theirs = {s: log_time(runs, problem, s, error) for s in others}
    theirs = {s: t for s, t in theirs.items() if t is not None}
    if not theirs:
        return None
    best = min(theirs, key=theirs.get)
    mine = log_time(runs, problem, ours, error)
    return (MISSED if mine is None else math.exp(mine - theirs[best])), best


def cells(runs, problem, ours, others):
    """By error."""
    found = {e: cell(runs, problem, e, ours, others) for e in ERRORS}
    return {e: c for e, c in found.items() if c is not None}


def of_problem(runs, problem, ours, others, errors=ERRORS):
    found = cells(runs, problem, ours, others)
    return work.geometric([found[e][0] for e in errors if e in found])


def of_problems(runs, problems, ours, others, errors=ERRORS):
    return work.geometric([of_problem(runs, p, ours, others, errors) for p in problems])


def largest(runs, problems, ours, others):
    """The ratio, its problem, its error, and the fastest of the others there."""
    found = [(c[0], p, e, c[1]) for p in problems for e, c in cells(runs, p, ours, others).items()]
    return max(found, default=(math.nan, "", math.nan, ""))


def text(value):
    return "-" if math.isnan(value) else f"{value:.2f}"


def row(name, values):
    return f"| {name} | " + " | ".join(text(v) for v in values) + " |\n"


def mean_table(runs, problems):
    out = "| problem | " + " | ".join(c[0] for c in COLUMNS) + " |\n" + "|---" * (len(COLUMNS) + 1) + "|\n"
    for p in problems:
        out += row(p, [of_problem(runs, p, ours, others) for _, ours, others in COLUMNS])
    groups = (("the six of index 0 and 1", SIX, ERRORS), ("the eight", EIGHT, ERRORS),
              ("the eight, 3, 5 and 7 digits", EIGHT, ODD), ("all", problems, ERRORS))
    for name, members, errors in groups:
        here = [p for p in members if p in problems]
        if here:
            out += row(f"**{name}**", [of_problems(runs, here, ours, others, errors)
                                       for _, ours, others in COLUMNS])
    return out


def largest_table(runs, problems):
    out = "| ratio | largest cell | problem | error | fastest other |\n|---|---|---|---|---|\n"
    for name, ours, others in COLUMNS:
        value, p, error, best = largest(runs, problems, ours, others)
        out += f"| {name} | {text(value)} | {p} | {error:.0e} | {best} |\n"
    return out


def cell_table(runs, problems):
    """auto/best at every error."""
    _, ours, others = COLUMNS[0]
    out = "| problem | " + " | ".join(f"{e:.0e}" for e in ERRORS) + " |\n" + "|---" * (len(ERRORS) + 1) + "|\n"
    for p in problems:
        found = cells(runs, p, ours, others)
        out += f"| {p} | " + " | ".join(f"{found[e][0]:.2f} {found[e][1]}" if e in found else "-"
                                        for e in ERRORS) + " |\n"
    return out


def alone(runs, problem):
    """Times of ours where nobody else is run."""
    out = ""
    for s in ("ours-model", "ours-auto"):
        times = [log_time(runs, problem, s, e) for e in ERRORS]
        out += f"| {problem} | {s} | " + " | ".join(
            "-" if t is None else f"{1e3 * math.exp(t):.3g}" for t in times) + " |\n"
    return out


def section(runs, problems):
    others = [p for p in problems if any(work.of(runs, p, s) for s in RIVALS)]
    has_mebdfi = any(r["solver"] == "mebdfi" for r in runs)
    rivals = "IDA, DASPK, RADAU5" + (" and MEBDFI" if has_mebdfi else "")
    out = f"""## Times at equal error

A cell is a problem and an error, {ERRORS[0]:.0e} to {ERRORS[-1]:.0e} by factors of 10; its number is the time
of ours over that of the fastest of {rivals} (best), or of IDA. An error that
ours does not reach and the other does counts {MISSED}; one that no other reaches is left out. auto is
`--method auto` and bdf `--method bdf`, both on the compiled models. Of a problem, and of several, geometric
means. The first three columns compare integrations under equal conditions: the solver's creation, steps and
outputs are counted, the analysis of the model and of its start is not, for the others are given the structure
and consistent values; and there is no longest step, as none of the others has one. `whole` counts the
analysis, too, with steps of a twentieth of the interval at most, as in `dae run`.
"""
    if not has_mebdfi:
        out += "MEBDFI was not at hand: RIVALS_MEBDFI names a library that has it (R's package deTestSet).\n"
    out += "\n" + mean_table(runs, others)
    out += "\nThe largest cells:\n\n" + largest_table(runs, others)
    out += "\nauto/best at each error, and who was best:\n\n" + cell_table(runs, others)
    rest = [p for p in problems if p not in others]
    if rest:
        head = "| problem | solver | " + " | ".join(f"{e:.0e}" for e in ERRORS) + " |\n" + "|---" * (
            len(ERRORS) + 2) + "|\n"
        out += ("\nOf these nothing is written in C, so that they are run by ours alone; milliseconds:\n\n" + head
                + "".join(alone(runs, p) for p in rest))
    return out
