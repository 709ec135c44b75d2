#!/usr/bin/env python3
"""Makes docs/scale.md: what large models cost, and by which linear solver.

usage: scale.py PATH-TO-dae [MOST]  (Markdown on standard output; no model of more than
MOST unknowns, as a rule 1.1e6)

Times are processor time of whole runs of `dae run`, from the text to the last value; the
parts of it are those of the run's own clock, scaled to that. Memory is the largest resident
size. Runs of 2e4 unknowns and less are the fastest one of three; those that are compared take
turns, as a slow minute of the machine is one of all.
"""
import contextlib
import io
import json
import math
import os
import subprocess
import sys
import tempfile

RTOL, ATOL = 1e-4, 1e-6
# of the models: name, what makes it large, about 1e4 unknowns, the end of the run
MODELS = [
    ("pde/heat2d", ["n=98"], 0.05), ("pde/brusselator2d", ["n=71"], 7.5),
    ("pde/foodweb", ["n=71"], 0.005), ("pde/burgers2d", ["n=69"], 0.2),
    ("pde/gray_scott", ["n=71"], 100), ("pde/allen_cahn3d", ["n=22"], 5),
    ("circuits/supply_mesh", ["n=96"], 4), ("networks/power_grid", ["n=100"], 2),
    ("networks/gas_network", ["n=58"], 1), ("mechanics/truss", ["n=2500"], 0.05),
    ("process/exchanger_network", ["n=320"], 300),
    ("process/distillation_train", ["n=70", "m=72"], 5),
    ("mechanics/bead_chain", ["n=1000"], 0.02)]
SOLVERS = ["klu", "umfpack", "gmres"]
# heat on a square, to t = 0.01: sides of the grid with its walls
HEAT = [98, 314, 998]
# at about 1e5 unknowns
LARGE = [("pde/gray_scott", ["n=224"], 100), ("circuits/supply_mesh", ["n=304"], 1),
         ("networks/power_grid", ["n=316"], 1),
         ("process/distillation_train", ["n=220", "m=228"], 5)]
SMALL = 20000
LONGEST = 3600  # seconds of the clock
SLOW = 1.25     # of the best solver, for the list below the table


def child(words):
    """What it prints, its processor time and largest size in MB."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(words, stdout=out, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        out.seek(0)
        return out.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss/1024


def without_expectations(model, folder):
    """Which the suites check: one that holds `always` looks at four places of every step,
    and so many times as many equations are solved then."""
    path = os.path.join(folder, os.path.basename(model) + ".dae")
    with open(f"models/{model}.dae", encoding="utf-8") as text, \
            open(path, "w", encoding="utf-8") as bare:
        bare.writelines(line for line in text
                        if not line.lstrip().startswith("expect "))
    return path


def run(dae, model, sets, end, linear="auto"):
    """None where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        return run_bare(dae, without_expectations(model, folder), sets, end, linear)


def run_bare(dae, path, sets, end, linear):
    words = [dae, "run", path, "--json", "--all", "--to", repr(end),
             "--rtol", repr(RTOL), "--atol", repr(ATOL), "--linear", linear,
             "--time-limit", str(LONGEST)]
    for word in sets:
        words += ["--set", word]
    text, seconds, size = child(words)
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return None
    return dict(found, cpu=seconds, size=size) if found["status"] == "done" else None


def turns(dae, model, sets, end, solvers=()):
    """The fastest run of `auto`, and by each solver, which has its distance from that in
    place of its values: these would count for every process begun later."""
    best = {}
    for _ in range(3):
        for solver in ["auto", *solvers]:
            found, before = run(dae, model, sets, end, solver), best.get(solver)
            if found and solver != "auto" and best["auto"]:
                found["apart"] = apart(best["auto"], found)
                del found["values"]
            is_faster = found and before and found["cpu"] < before["cpu"]
            best[solver] = found if is_faster or not before else before
        if not best["auto"] or best["auto"]["stats"]["unknowns"] > SMALL:
            break
    return best


def parts(found):
    """Compilation, start and steps in seconds, with what reading and printing take in
    the first."""
    clock = found["seconds"]
    scale = found["cpu"]/clock["total"]
    start = clock["analyse"] + clock["initialize"]
    steps = clock["solve"]
    return [(clock["total"] - start - steps)*scale, start*scale, steps*scale]


def most(found):
    names = ["text and compilation", "start", "steps"]
    share = parts(found)
    best = max(range(3), key=lambda k: share[k])
    return f"{names[best]} {100*share[best]/found['cpu']:.0f} %"


def apart(one, other):
    """RMS difference of all values in tolerances."""
    a, b = one["values"], other["values"]
    off = [(a[k] - b[k])/(ATOL + RTOL*abs(a[k])) for k in a
           if isinstance(a[k], (int, float)) and k in b]
    return math.sqrt(sum(x*x for x in off)/len(off)) if off else 0


def heat_of(dae, n):
    return turns(dae, "pde/heat2d", [f"n={n}"], 0.01)["auto"]


def heat(dae, limit, early):
    """`early`: runs by n, made before."""
    print("""## Heat on a square, growth by decades

`models/pde/heat2d` to t = 0.01. From row to row there are ten times as many unknowns.

| unknowns | compile | start | steps | s in all | MB | bytes per unknown | compile, start, steps: times the row before |
|---|---|---|---|---|---|---|---|""")
    before = None
    for n in HEAT:
        if (n + 2)**2 > limit:
            break
        found = early[n] if n in early else heat_of(dae, n)
        if not found:
            print(f"| {(n + 2)**2} | failed | | | | | | |")
            continue
        now = parts(found)
        growth = ", ".join(f"{a/b:.1f}" for a, b in zip(now, before)) if before else ""
        unknowns = found["stats"]["unknowns"]
        print(f"| {unknowns} | {now[0]:.2f} | {now[1]:.2f} | {now[2]:.2f} | "
              f"{found['cpu']:.2f} | {found['size']:.0f} | "
              f"{found['size']*2**20/unknowns:.0f} | {growth} |", flush=True)
        before = now


def library(dae):
    print("""
## Models of the library at about 10^4 unknowns

`auto` beside each solver alone: seconds, and how far the values at the end are from those
of `auto`, rms in tolerances. Most of the time of `auto` is in the part named.

| model | unknowns | steps | auto | is | MB | most in | klu | umfpack | gmres | auto over the best |
|---|---|---|---|---|---|---|---|---|---|---|""")
    slow = []
    for model, sets, end in MODELS:
        runs = turns(dae, model, sets, end, SOLVERS)
        auto = runs["auto"]
        if not auto:
            print(f"| {model} | failed |" + " |"*9)
            continue
        cells, best = [], auto["cpu"]
        for solver in SOLVERS:
            found = runs[solver]
            if not found:
                cells.append("failed")
                continue
            best = min(best, found["cpu"])
            returned = " (direct)" if found["stats"]["linear_fallbacks"] else ""
            cells.append(f"{found['cpu']:.2f}, {found['apart']:.2g}{returned}")
        stats = auto["stats"]
        if auto["cpu"] > SLOW*best:
            slow.append(model)
        print(f"| {model} | {stats['unknowns']} | {stats['steps']} | {auto['cpu']:.2f} | "
              f"{stats['linear']} | {auto['size']:.0f} | {most(auto)} | "
              + " | ".join(cells) + f" | {auto['cpu']/best:.2f} |", flush=True)
    print(f"\nSlower with `auto` than {SLOW} times the best: "
          + (", ".join(slow) if slow else "none") + ".")


def large(dae, limit):
    print("""
## At about 10^5 unknowns

| model | unknowns | steps | s in all | is | MB | bytes per unknown | most in |
|---|---|---|---|---|---|---|---|""")
    for model, sets, end in LARGE:
        if limit < 1.2e5:
            break
        found = run(dae, model, sets, end)
        if not found:
            print(f"| {model} | failed |" + " |"*6)
            continue
        stats = found["stats"]
        print(f"| {model} | {stats['unknowns']} | {stats['steps']} | {found['cpu']:.1f} | "
              f"{stats['linear']} | {found['size']:.0f} | "
              f"{found['size']*2**20/stats['unknowns']:.0f} | {most(found)} |", flush=True)


def main():
    dae = os.path.abspath(sys.argv[1])
    limit = float(sys.argv[2]) if len(sys.argv) > 2 else 1.1e6
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    print(f"""# What large models cost

Made by `tools/dev/scale.py build/release/dae`; do not edit. Processor time of whole runs of `dae run`, from the text to
the last value, at rtol {RTOL:g} and atol {ATOL:g}, on one core; memory is the largest resident size. Times depend on the
machine and on its load, counts do not. The models' expectations are left out: one that holds `always` is looked for at
four places of every step or more, which may take as long as the steps. Which solver `auto` takes is
decided by counts ([numerics.md](numerics.md)).
""", flush=True)
    # what the values of a large model take here counts for every process begun later
    early = {n: heat_of(dae, n) for n in HEAT[:1] if (n + 2)**2 <= limit}
    rest = io.StringIO()
    with contextlib.redirect_stdout(rest):
        library(dae)
        large(dae, limit)
    heat(dae, limit, early)
    print(rest.getvalue(), end="")


if __name__ == "__main__":
    main()
