#!/usr/bin/env python3
"""Which functions stand together in a program: writes tools/cmake/order.ld.

    tools/dev/order.py [BUILD]       a release build, build/release without it; needs valgrind

Those that at least two of a few short runs call, in the order of their files. They are
less than half of the program, and scattered over all of it: a run that finds them
together meets fewer page faults. A name that exists no more does no harm, and one that
is missing costs nothing but its share.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = """biology/predator_prey chemistry/hires chemistry/robertson circuits/half_wave_rectifier
circuits/low_pass control/thermostat mechanics/bouncing_ball mechanics/pendulum""".split()
HEAD = """/* Made by tools/dev/order.py: what short runs call stands together. */
SECTIONS
{
  .text.together : {
"""
TAIL = """  }
}
INSERT BEFORE .text;
"""


def called(program, model):
    """The names of the program's functions that a run of the model calls."""
    with tempfile.NamedTemporaryFile("r") as out:
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}",
                        program, "run", ROOT / "models" / f"{model}.dae"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        names, inside, found = {}, False, set()
        for callee, kind, number, name in re.findall(
                r"^(c?)(ob|fn)=\((\d+)\)(?: (.*))?$", out.read(), re.M):
            if name:
                names[kind, number] = name
            if callee:
                continue
            if kind == "ob":
                inside = names[kind, number] == str(program)
            elif inside:
                found.add(names[kind, number].split("'")[0])
        return found


def functions(build):
    """All of them, in the order of files and within these."""
    objects = sorted(build.glob("CMakeFiles/*.dir/**/*.c.o"))
    listing = subprocess.run(["nm", "--no-sort", "--defined-only", *objects],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.findall(r"^\w+ [tT] (\S+)$", listing, re.M)


def main():
    build = (Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "release").resolve()
    runs = [called(build / "dae", model) for model in MODELS]
    wanted = [name for name in dict.fromkeys(functions(build))
              if sum(name in run for run in runs) >= 2]
    lines = [f"    *(.text.{name})\n" for name in wanted]
    (ROOT / "tools" / "cmake" / "order.ld").write_text(HEAD + "".join(lines) + TAIL)
    print(f"order: {len(wanted)} functions")


if __name__ == "__main__":
    main()
