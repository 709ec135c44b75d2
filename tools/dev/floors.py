#!/usr/bin/env python3
"""Who may include whom: reads every #include line against the table below.

The table is the one of docs/architecture.md ("Floors"). What a folder names,
it may include, and whatever that one may include in turn.

And where thresholds are: in the folders CLEAN a floating constant with a name,
or a number with an exponent or with decimals, stands in the header of
thresholds of the folder or nowhere; of each header THRESHOLDS_MOST says how many
it may have.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# folder (or single file): the private folders it stands on
FLOORS = {
    "base": [],
    "graph": ["base"],
    "structure": ["graph"],
    "linalg": ["graph"],
    "extend": ["linalg"],
    "index": ["structure", "extend"],
    "newton": ["linalg"],
    "start": ["newton"],
    "step": ["newton"],
    "methods": ["step"],
    "stability": ["methods", "linalg"],
    "study": ["linalg"],
    "repair": ["index"],
    "analysis": ["start", "index", "repair"],
    "reduce": ["analysis", "step"],
    "run": ["methods", "start", "reduce", "analysis", "events"],
    "events": ["run"],  # an event changes the run that it belongs to
    "solver.c": ["run"],
    "syntax": ["base"],
    "ir": ["base"],
    "data": ["syntax"],
    "sema": ["syntax", "ir", "data"],
    "code": ["ir"],
    "model.c": ["sema", "code"],
    "lang/run": ["base"],  # a user of the public headers, for other programs
    "orders": ["base"],  # likewise
    "report": ["base"],
}
# Public headers that not everyone may see: who may. Those of status, memory
# and diag are open to all.
PUBLIC = {
    "problem": {"linalg", "stability", "study", "extend", "index", "repair", "newton", "start", "analysis",
                "reduce", "step", "methods", "run", "events", "solver.c", "code", "model.c",
                "base"},
    "solver": {"linalg", "study", "extend", "index", "repair", "newton",
               "start", "analysis", "reduce", "step", "methods", "run", "events",
               "solver.c"},
    "structure": {"structure", "index", "repair", "analysis",
                  "reduce", "run", "events", "solver.c", "ir", "sema", "code", "model.c"},
    "analysis": {"index", "repair", "analysis", "reduce", "run", "events",
                 "solver.c", "code", "model.c"},
    "stability": {"linalg", "methods", "stability"},
    "study": {"study"},
    "init": {"start", "run", "events", "solver.c"},
    "model": {"sema", "code", "model.c"},
    "names": set(),
    "closed_form": set(),
    "run": set(),
    "orders": set(),
    "report": set(),
    "table": {"data"},
}
for seen in ("problem", "solver", "analysis", "model", "names", "closed_form", "run"):
    PUBLIC[seen] |= {"lang/run", "orders", "report"}
for seen in ("study", "orders"):
    PUBLIC[seen].add("orders")
for seen in ("structure", "report"):
    PUBLIC[seen].add("report")
# Folders without thresholds of their own: the header that has them.
OF_STARTS = "solver/linalg/thresholds.h"
OF_RUNS = "solver/reduce/thresholds.h"
CLEAN = {"solver/linalg": OF_STARTS, "solver/index": OF_STARTS,
         "solver/repair": OF_STARTS, "solver/start": OF_STARTS,
         "solver/analysis": OF_STARTS, "solver/reduce": OF_RUNS,
         "solver/run": OF_RUNS, "solver/events": OF_RUNS}
THRESHOLDS_MOST = {OF_STARTS: 29, OF_RUNS: 11}
# What a line may still say of numbers: whole ones, fractions of them (such as the
# places of sample points), and the powers of two that a double is made of.
NUMBER = re.compile(r"(?<![\w.])(?:(?:\d+\.?\d*|\.\d+)[eE][-+]?\d+|"
                    r"\d*\.\d*[1-9]\d*)[fFlL]?(?!\w)")
NAMED = re.compile(r"^\s*const\s+(?:double|float)\s+\w+\s*=\s*-?[\d.]+"
                   r"(?:\s*/\s*[\d.]+)?\s*[,;]|"
                   r"^\s*static\s+const\s+(?:double|float)\s+\w+\s*=")
DEFINED = re.compile(r"^\s*#\s*define\s+\w+\s+\(?-?(?:\d+\.\d*|\.\d+|\d+[eE]|0x[\da-fA-F.]+p|"
                     r".*\bDBL_EPSILON\b)")
THRESHOLD = re.compile(r"^\s*#\s*define\s+[A-Z]\w*\s+\S|^static inline double \w+\(")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(dae/[^>]+)>)')


def closure(floor):
    """Every folder that `floor` may include from, itself too."""
    seen, todo = set(), [floor]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += FLOORS.get(name, [])
    return seen


def floor_of(path):
    """The row of the table for a source, such as solver/step/history.c."""
    parts = Path(path).parts
    if parts[0] not in ("solver", "lang") or parts[1] == "include":
        return None
    if len(parts) > 2:  # solver has a folder of that name, too
        return "lang/run" if parts[:2] == ("lang", "run") else parts[1]
    # the public faces: solver.c, model.c and what was split off from them
    return "solver.c" if parts[0] == "solver" else "model.c"


def check_line(path, quoted, public):
    """What is wrong with one #include of `path`, or None."""
    floor = floor_of(path)
    parts = Path(path).parts
    if floor is None:  # public headers, the command, tests/api, examples
        if quoted and parts[0] in ("tools", "examples"):
            if "/" in quoted:
                return f'"{quoted}": only public headers of the libraries'
        elif quoted:
            return f'"{quoted}": a public header includes <dae/...> only'
        return None
    if floor not in FLOORS:
        return f"folder `{floor}` is not in the table of tools/dev/floors.py"
    if public:
        name = public[len("dae/"):].removesuffix(".h")
        allowed = PUBLIC.get(name)
        if allowed is not None and floor not in allowed:
            return f"<{public}>: {floor} does not see it"
        return None
    if "/" not in quoted:
        top = {"solver.c": "solver", "model.c": "lang"}.get(floor)
        if top and (ROOT / top / quoted).is_file():
            return None
        return f'"{quoted}": include it by its folder, as "{floor}/{quoted}"'
    target = quoted.split("/")[0]
    if floor == "lang/run" and target == "run":
        target = floor
    if target not in closure(floor):
        return f'"{quoted}": {floor} does not see {target}'
    if floor == "methods" and target == "methods":
        own = Path(path).stem
        if Path(quoted).stem not in (own, own + "_rules"):  # its numbers
            return f'"{quoted}": a method does not know its fellows'
    return None


def without_comments(text):
    """The text with comments and strings blanked, line by line as it was."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def check_thresholds(path, text):
    """Floating thresholds of a clean folder outside their header."""
    header = next((h for f, h in CLEAN.items() if path.startswith(f + "/")), None)
    if path == header or header is None:
        return []
    faults = []
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        if NUMBER.search(line) or NAMED.match(line) or DEFINED.match(line):
            faults.append((number, f"a threshold: it belongs into {header}, "
                                   "with its derivation"))
    return faults


def count_thresholds(header):
    """Names and functions of a header of thresholds."""
    lines = without_comments((ROOT / header).read_text()).splitlines()
    return sum(bool(THRESHOLD.match(line)) for line in lines)


def table_of_thresholds(header):
    """Rows of Markdown made from a header: what, how much, why, kind by kind."""
    rows, comment, kind, inside = [], [], "", False
    for line in (ROOT / header).read_text().splitlines():
        section = re.match(r"/\* ---- (.*?) -+ \*/", line)
        entry = re.match(r"#define ([A-Z]\w*) (\S.*)|static inline double (\w+)\((.*)\)", line)
        if section:
            kind, comment = section[1], []
        elif line.startswith("/*") or inside:
            comment = (comment if inside else []) + [line.strip("/* ")]
            inside = "*/" not in line
        elif entry:
            name = entry[1] or entry[3]
            value = (entry[2] or "function of " + re.sub(r"\w+ (\w+)", r"\1", entry[4]))
            value = re.sub(r"\s*/\*.*", "", value)
            text = " ".join(comment).strip()
            rows.append(f"| {kind} | `{name}` | {value} | {text} |")
        elif not line.strip():
            comment = []
    return ["| kind | name | value | meaning and derivation |", "|---|---|---|---|"] + rows


def check_file(path, text, has_own_header):
    """The faults of one source as (line, message)."""
    faults, first = check_thresholds(path, text), True
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        fault = check_line(path, *match.groups())
        if fault:
            faults.append((number, fault))
        if first and has_own_header and path.endswith(".c"):
            own = Path(path).stem + ".h"
            if Path(match.group(1) or match.group(2)).name != own:
                faults.append((number, f'includes its own "{own}" first'))
        first = False
    return faults


def sources():
    for top in ("solver", "lang", "tools/dae", "tools/pages", "examples"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".c", ".h", ".re", ".y"):
                yield path


def self_test():
    """Broken includes must be found: the check is worth its pass only so."""
    bad = [
        ("solver/graph/match.c", '#include "linalg/linear.h"'),
        ("solver/step/step.c", '#include "start/init.h"'),
        ("solver/start/init.c", '#include "step/step.h"'),
        ("solver/methods/ndf.c", '#include "methods/bdf.h"'),
        ("solver/base/arena.c", "#include <dae/solver.h>"),
        ("solver/newton/newton.c", '#include "syntax/ast.h"'),
        ("lang/syntax/parse.c", '#include "ir/shape.h"'),
        ("lang/code/emit.c", '#include "syntax/ast.h"'),
        ("lang/ir/shape.c", '#include "sema/lower.h"'),
        ("lang/ir/shape.c", '#include "shape.h"'),
        ("lang/sema/lower.c", '#include "step/step.h"'),
        ("solver/odd/odd.c", '#include "base/alloc.h"'),
        ("solver/include/dae/diag.h", '#include "base/alloc.h"'),
        ("tools/dae/main.c", '#include "base/alloc.h"'),
        ("lang/run/run.c", '#include "code/problem.h"'),
        ("lang/code/emit.c", "#include <dae/run.h>"),
        ("tools/dae/main.c", '#include "run/grid.h"'),
    ]
    good = [
        ("lang/run/run.c", '#include "run/grid.h"'),
        ("lang/run/run.c", "#include <dae/model.h>"),
        ("solver/step/step.c", '#include "base/alloc.h"'),
        ("solver/run/run.c", '#include "start/init.h"'),
        ("lang/sema/lower.c", '#include "syntax/ast.h"'),
        ("lang/code/emit.c", "#include <dae/problem.h>"),
        ("tools/dae/main.c", '#include "args.h"'),
        ("tools/dae/main.c", "#include <dae/dae.h>"),
    ]
    for folder in CLEAN:
        bad += [
            (f"{folder}/rank.c", "static const double ZERO = 1e-10;"),
            (f"{folder}/rank.c", "static const double PART = 0.25;"),
            (f"{folder}/rank.c", "    const double small = 0.5, large = 2;"),
            (f"{folder}/rank.c", "    if (fabs(x) < 1e-7 * most) return;"),
            (f"{folder}/rank.c", "    if (x > 2.5E+3) return;"),
            (f"{folder}/rank.c", "    if (share < 0.1) return;"),
            (f"{folder}/rank.c", "static const double later[] = {0.0625, 1};"),
            (f"{folder}/rank.h", "#define RANK_ZERO 1e-10"),
            (f"{folder}/rank.h", "#define RANK_PART 0.5"),
            (f"{folder}/rank.h", "#define RANK_PIVOT (8 * DBL_EPSILON)"),
        ]
        good += [
            (f"{folder}/rank.c", "    if (fabs(x) < rank_zero(n) * most) return;"),
            (f"{folder}/rank.c", "/* a pivot of 1e-9 */"),
            (f"{folder}/rank.c", "    const double half = x / 2;"),
            (f"{folder}/rank.c", "    return 2.0 / 3.0 * work;"),
            (f"{folder}/rank.c", "    int e1 = 0x1e2, f = a1e5;"),
            (f"{folder}/rank.c", "enum { SWEEPS = 6 };"),
        ]
    for header in THRESHOLDS_MOST:
        good.append((header, "#define HALF_DIGITS 0x1p-26"))
        bad.append((header.replace("thresholds", "rank"), "#define PART 1e-3"))
    bad.append(("solver/run/thresholds.h", "#define PART 1e-3"))
    good.append(("solver/step/step.c", "static const double cut = 0.25;"))
    wrong = [b for b in bad if not check_file(*b, False)]
    wrong += [g for g in good if check_file(*g, False)]
    order = '#include "base/alloc.h"\n#include "step/step.h"\n'
    if not check_file("solver/step/step.c", order, True):
        wrong.append(("own header first", order))
    for path, line in wrong:
        print(f"floors self-test: judged wrongly: {path}: {line}")
    return 1 if wrong else 0


def check_headers():
    """What is wrong with the headers of thresholds, and how many there are."""
    faults, total = [], 0
    text = (ROOT / "docs/numerics.md").read_text()
    for header, most in THRESHOLDS_MOST.items():
        count, table = count_thresholds(header), table_of_thresholds(header)
        total += count
        if len(table) - 2 < count or any(row.endswith("|  |") for row in table):
            faults.append(f"{header}: a threshold without its derivation above it")
        if "\n".join(table) not in text:
            faults.append(f"docs/numerics.md: thresholds of {header} are not those "
                          "of --thresholds")
        if count > most:
            faults.append(f"{header}: {count}, more than {most}")
    return faults, total


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:] == ["--thresholds"]:
        print("\n\n".join("\n".join([f"`{header.removeprefix('solver/')}`:", ""]
                                    + table_of_thresholds(header))
                          for header in THRESHOLDS_MOST))
        return 0
    faults, thresholds = check_headers()
    for path in sources():
        name = str(path.relative_to(ROOT))
        own = path.with_suffix(".h").is_file()
        faults += [f"{name}:{line}: {fault}"
                   for line, fault in check_file(name, path.read_text(), own)]
    print("\n".join(faults + [f"floors: {len(faults)} faults"]) if faults else
          f"floors: in order, {thresholds} thresholds")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
