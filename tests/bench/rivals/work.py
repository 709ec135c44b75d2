"""Work at equal measured error, from the lines that the driver prints."""

import math
import statistics

COUNTS = ("steps", "residuals", "factorizations", "jacobians")
BARS = {"steps": 0.95, "residuals": 1.10, "factorizations": 0.75, "jacobians": 0.35}
JUMP_BAR = 4
APART = "transistor"


def mean(block, column):
    return sum(p[column] for p in block) / len(block)


def monotone(runs, work, error="error"):
    """Points (log error, log work), errors falling with the tolerance.

    A smaller tolerance now and then gives a larger error. Such neighbours
    are replaced by their means until the errors fall, so that every error
    has one work.
    """
    blocks = []
    for run in sorted(runs, key=lambda r: -r["rtol"]):
        if not (run["ok"] and run[error] > 0 and run[work] > 0):
            continue
        blocks.append([(math.log(run[error]), math.log(run[work]))])
        while len(blocks) > 1 and mean(blocks[-1], 0) >= mean(blocks[-2], 0):
            last = blocks.pop()
            blocks[-1] += last
    return [(mean(b, 0), mean(b, 1)) for b in blocks]


def work_at(points, error):
    """Log work at a log error; None below the smallest error.

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


def of(runs, problem, solver):
    return [r for r in runs if r["problem"] == problem and r["solver"] == solver]


def is_asked(run):
    """Whether a run is at one of the nine tolerances 1e-3 .. 1e-8."""
    return 0.99e-8 < run["rtol"] < 1.01e-3


def ratio(ours, theirs, work, error="error"):
    """Median over their nine tolerances of our work over theirs."""
    a, b = monotone(ours, work, error), monotone(theirs, work, error)
    ratios = []
    for run in theirs:
        if not (is_asked(run) and run["ok"] and run[error] > 0):
            continue
        # the run's place on its own monotone curve
        at = min((e for e, _ in b), key=lambda e: abs(e - math.log(run[error])))
        if work_at(a, at) is not None:
            ratios.append(math.exp(work_at(a, at) - work_at(b, at)))
    return statistics.median(ratios) if ratios else math.nan


def geometric(values):
    values = [v for v in values if not math.isnan(v)]
    if not values:
        return math.nan
    return math.exp(sum(map(math.log, values)) / len(values))


def jump(runs, solver):
    """Largest ratio of steps at tolerances a factor 4 apart, and where."""
    found = [r for r in runs if r["solver"] == solver and r["ok"]]
    best = (0.0, 0.0, 0.0)
    for a in found:
        for b in found:
            if abs(a["rtol"] / b["rtol"] - 4) < 0.01:
                q = a["steps"] / b["steps"]
                best = max(best, (max(q, 1 / q), a["rtol"], b["rtol"]))
    return best
