#!/usr/bin/env python3
"""Line and branch coverage of the product by the tests, from gcov.

    coverage.py BUILD                     a table by rooms, their weakest files
    coverage.py BUILD --missing lang/ir   the lines there with a branch not taken

BUILD is a build of the preset `coverage` after its tests have run. Every
branch that gcov knows in the sources counts; none is marked as excused. Two
things are not counted, because no input reaches them: assertions, which the
preset compiles out, and what re2c and Lemon generate around our rules and
actions (these appear as lines of scan.re and grammar.y). The exit status is
1 where one of the demanded rooms has 90 % of its branches taken, or less.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEMAND = 90.0  # per cent of the branches of each demanded room
WEAK = 85.0    # files below are listed
BATCH = 16     # objects given to one gcov

# A room is the sources that begin with one of its prefixes; the first match
# counts. The scanner is what makes tokens out of text.
DEMANDED = (
    ("scanner", ("lang/syntax/scan", "lang/syntax/token", "solver/base/number",
                 "lang/syntax/spelling", "lang/syntax/layout")),
    ("parser", ("lang/syntax/",)),
    ("sema", ("lang/sema/",)),
    ("ir", ("lang/ir/",)),
    ("code", ("lang/code/",)),
    ("step", ("solver/step/",)),
)
OTHER = (("rest of lang", ("lang/",)), ("rest of solver", ("solver/",)),
         ("command", ("tools/dae/",)))


class File:
    """Counts of one source, summed over the objects it was compiled into."""

    def __init__(self):
        self.lines = {}
        self.branches = {}

    def add(self, line):
        number = line["line_number"]
        self.lines[number] = self.lines.get(number, 0) + line["count"]
        where = number, line.get("function_name", "")
        for place, branch in enumerate(line["branches"]):
            key = (*where, place)
            self.branches[key] = self.branches.get(key, 0) + branch["count"]

    def missing(self):
        """{line: (taken, all)} of the lines with a branch not taken."""
        found = {}
        for (number, _, _), count in self.branches.items():
            taken, every = found.get(number, (0, 0))
            found[number] = taken + (count > 0), every + 1
        return {n: two for n, two in sorted(found.items()) if two[0] < two[1]}


class Share:
    """So many reached of so many."""

    def __init__(self, counts=()):
        counts = list(counts)
        self.reached = sum(1 for count in counts if count)
        self.all = len(counts)

    def add(self, other):
        self.reached += other.reached
        self.all += other.all

    def percent(self):
        return 100 * self.reached / self.all if self.all else 100.0

    def __str__(self):
        return f"{self.percent():5.1f} % {self.reached:6}/{self.all:<6}"


def documents(build, objects):
    """What gcov says about these objects, one document each."""
    made = subprocess.run(
        ["gcov", "--json-format", "--branch-probabilities", "--stdout",
         *map(str, objects)],
        cwd=build, capture_output=True, check=False, text=True)
    if made.returncode:
        sys.exit("coverage: gcov cannot read the counts; delete the *.gcda of "
                 f"this build and run its tests again\n{made.stderr}")
    for text in made.stdout.splitlines():
        if text.startswith("{"):
            yield json.loads(text)


def read(build):
    """{source: File}. Objects no program has run count as never reached."""
    objects = sorted(build.rglob("*.gcno"))
    if not any(o.with_suffix(".gcda").exists() for o in objects):
        sys.exit("coverage: nothing was counted; run the tests first")
    files = {}
    for first in range(0, len(objects), BATCH):
        for document in documents(build, objects[first:first + BATCH]):
            for source in document["files"]:
                path = (build / source["file"]).resolve()
                if not path.is_relative_to(ROOT) or not path.is_file():
                    continue  # of a library, or gone since
                name = path.relative_to(ROOT)
                if name.parts[0] not in ("solver", "lang", "tools"):
                    continue
                file = files.setdefault(str(name), File())
                for line in source["lines"]:
                    file.add(line)
    return files


def room_of(name):
    for room, prefixes in DEMANDED + OTHER:
        if name.startswith(prefixes):
            return room
    return None


def report(files):
    rooms = {room: {} for room, _ in DEMANDED + OTHER}
    for name, file in files.items():
        if room_of(name):
            rooms[room_of(name)][name] = file
    poor, words = [], []
    every = Share()
    demanded = {room for room, _ in DEMANDED}
    for room, inside in rooms.items():
        lines, branches = Share(), Share()
        weak = []
        for name, file in inside.items():
            own = Share(file.branches.values())
            lines.add(Share(file.lines.values()))
            branches.add(own)
            if own.percent() < WEAK:
                weak.append((own.percent(), name, own))
        print(f"{room:15} lines {lines}  branches {branches}")
        for _, name, own in sorted(weak, key=lambda w: w[:2]):
            print(f"    {own}  {name}")
        every.add(lines)
        if room in demanded:
            words.append(f"{room} {branches.percent():.1f}")
            if branches.percent() <= DEMAND:
                poor.append(room)
    if poor:
        print(f"coverage: not above {DEMAND:.0f} % of the branches:",
              ", ".join(poor))
    print(f"branches taken in %: {', '.join(words)};",
          f"lines reached: {every.percent():.1f} of {every.all}")
    return 1 if poor else 0


def list_missing(files, prefix):
    for name in sorted(files):
        if not name.startswith(prefix):
            continue
        text = (ROOT / name).read_text(encoding="utf-8").splitlines()
        for number, (taken, every) in files[name].missing().items():
            print(f"{name}:{number}: {taken}/{every} {text[number - 1].strip()}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--missing", metavar="PREFIX")
    options = parser.parse_args()
    files = read(options.build.resolve())
    if options.missing is not None:
        return list_missing(files, options.missing)
    return report(files)


if __name__ == "__main__":
    sys.exit(main())
