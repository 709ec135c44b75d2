"""Work at equal measured error, from the lines that the driver prints."""

import math
import statistics

COUNTS = ("steps", "residuals", "factorizations", "jacobians")
BARS = {"steps": 0.95, "residuals": 1.10, "factorizations": 0.75, "jacobians": 0.35}
JUMP_BAR = 4
APART = "transistor"


def monotone(runs, work):
    """Points (log error, log work), errors falling with the tolerance.

    A smaller tolerance now and then gives a larger error. Such neighbours
    are replaced by their means until the errors fall, so that a work belongs
    to every error.
    """
    blocks = []
    for run in sorted(runs, key=lambda r: -r["rtol"]):
        if run["ok"] and run["error"] > 0 and run[work] > 0:
            blocks.append([[math.log(run["error"]), math.log(run[work])]])
        while len(blocks) > 1 and mean(blocks[-1], 0) >= mean(blocks[-2], 0):
            last = blocks.pop()
            blocks[-1] += last
    return [(mean(b, 0), mean(b, 1)) for b in blocks]


def mean(block, column):
    return sum(p[column] for p in block) / len(block)


def work_at(points, error):
    """Log work at a log error; None where the curve does not come near it.

    Above its largest error a curve keeps its least work: that accuracy costs
    no more than this.
    """
    if not points:
        return None
    if error >= points[0][0]:
        return points[0][1]
    for (e1, w1), (e2, w2) in zip(points, points[1:]):
        if e2 <= error <= e1:
            return w1 + (w2 - w1) * (error - e1) / (e2 - e1)
    return None


def of(runs, problem, solver, within=False):
    found = [r for r in runs if r["problem"] == problem and r["solver"] == solver]
    return [r for r in found if 0.99e-8 < r["rtol"] < 1.01e-3] if within else found


def ratio(runs, problem, solver, base, work):
    """Median over the base's nine tolerances of work over the base's work."""
    theirs = monotone(of(runs, problem, base), work)
    ours = monotone(of(runs, problem, solver), work)
    ratios = []
    for run in of(runs, problem, base, within=True):
        if not run["ok"] or run["error"] <= 0:
            continue
        # its place on its own smoothed curve
        error = min((e for e, _ in theirs), key=lambda e: abs(e - math.log(run["error"])))
        a, b = work_at(ours, error), work_at(theirs, error)
        if a is not None and b is not None:
            ratios.append(math.exp(a - b))
    return statistics.median(ratios) if ratios else math.nan


def geometric(values):
    values = [v for v in values if not math.isnan(v)]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def jump(runs, solver):
    """Largest ratio of steps at tolerances a factor 4 apart, and where."""
    found = sorted((r for r in runs if r["solver"] == solver and r["ok"]), key=lambda r: -r["rtol"])
    best = (0.0, 0.0, 0.0)
    for a in found:
        for b in found:
            if abs(a["rtol"] / b["rtol"] - 4) < 0.01:
                q = a["steps"] / b["steps"]
                best = max(best, (max(q, 1 / q), a["rtol"], b["rtol"]))
    return best
