#!/usr/bin/env python3
"""Keeps the totals of the fuzz targets: tests/fuzz/totals.tsv and the table of
docs/fuzz-report.md, which is made from it.

    fuzz_totals.py add TARGET RUNS SECONDS   a time without a finding
    fuzz_totals.py found TARGET RUNS         a finding: the time begins again
    fuzz_totals.py show                      one line for each target

A line of the table is: target, inputs run in all, seconds since its last
finding, findings. What is below the table in the report is written by hand.
"""
import fcntl
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOTALS = ROOT / "tests" / "fuzz" / "totals.tsv"
REPORT = ROOT / "docs" / "fuzz-report.md"
TARGETS = ["scan", "parse", "compile", "verify", "steps", "check", "csv"]
BEGIN, END = "<!-- totals -->\n", "<!-- end of totals -->\n"


def read_totals():
    totals = {name: [0, 0, 0] for name in TARGETS}
    if TOTALS.exists():
        for line in TOTALS.read_text().splitlines():
            name, *numbers = line.split("\t")
            if name in totals:
                totals[name] = [int(number) for number in numbers]
    return totals


def clock(seconds):
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def table(totals):
    lines = ["| target | inputs run in all | time since its last finding | findings |",
             "| --- | ---: | ---: | ---: |"]
    lines += [f"| {name} | {runs} | {clock(seconds)} | {findings} |"
              for name, (runs, seconds, findings) in totals.items()]
    return "\n".join(lines) + "\n"


def write_totals(totals):
    TOTALS.write_text("".join(
        "\t".join([name, *map(str, numbers)]) + "\n"
        for name, numbers in totals.items()))
    text = REPORT.read_text()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    REPORT.write_text(head + BEGIN + table(totals) + END + tail)


def change(arguments):
    totals = read_totals()
    what, target = arguments[:2]
    runs, seconds, findings = totals[target]
    runs += int(arguments[2])
    if what == "found":
        totals[target] = [runs, 0, findings + 1]
    else:
        totals[target] = [runs, seconds + int(arguments[3]), findings]
    write_totals(totals)


def main(arguments):
    if arguments == ["show"]:
        for name, (_, seconds, _) in read_totals().items():
            short = "" if seconds >= 3600 else " (below an hour)"
            print(f"{name} {clock(seconds)} since its last finding{short}")
        return 0
    right = {"add": 4, "found": 3}
    if (not arguments or right.get(arguments[0]) != len(arguments)
            or arguments[1] not in TARGETS):
        print(__doc__, file=sys.stderr)
        return 2
    # two runs at once add one after the other
    with open(ROOT / "tests" / "fuzz" / "words.dict") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        change(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
