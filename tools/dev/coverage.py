#!/usr/bin/env python3
"""Line coverage of the product's sources from gcov: coverage.py BUILD.

Prints a line for every source, the least covered first, and a total.
"""
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def counted_lines(data, work):
    """(source, line, count) of one .gcda file."""
    subprocess.run(["gcov", "--json-format", str(data)], cwd=work,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    for made in Path(work).glob("*.gcov.json.gz"):
        with gzip.open(made, "rt", encoding="utf-8") as stream:
            for source in json.load(stream)["files"]:
                for line in source["lines"]:
                    yield source["file"], line["line_number"], line["count"]
        made.unlink()


def main():
    build = Path(sys.argv[1]).resolve()
    lines = {}
    with tempfile.TemporaryDirectory() as work:
        for data in sorted(build.rglob("*.gcda")):
            for name, number, count in counted_lines(data, work):
                path = (build / name).resolve()
                if not path.is_relative_to(ROOT):
                    continue
                top = path.relative_to(ROOT)
                if top.parts[0] not in ("solver", "lang", "tools"):
                    continue
                seen = lines.setdefault(str(top), {})
                seen[number] = seen.get(number, 0) + count
    rows = []
    for name, seen in lines.items():
        reached = sum(1 for count in seen.values() if count)
        rows.append((reached / len(seen), name, reached, len(seen)))
    if not rows:
        sys.exit("coverage: nothing was counted; run the tests first")
    for share, name, reached, count in sorted(rows):
        print(f"{100 * share:5.1f} % {reached:6}/{count:<6} {name}")
    reached, count = sum(r[2] for r in rows), sum(r[3] for r in rows)
    print(f"{100 * reached / count:.1f} % of {count} lines reached by the tests")


if __name__ == "__main__":
    main()
