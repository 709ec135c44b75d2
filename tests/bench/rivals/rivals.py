#!/usr/bin/env python3
"""Our engines beside IDA, DASPK, RADAU5 and MEBDFI: work at equal measured error.

    tests/bench/rivals/rivals.py                 measures, writes docs/rivals.md
    tests/bench/rivals/rivals.py --quick         each third tolerance, one run: prints, writes nothing
    tests/bench/rivals/rivals.py --lines FILE    tables from lines measured before

Builds the release preset, fetches SUNDIALS 6.4.1 from Debian's source package (from the
machine's own package sources) and builds it with -O3 (Debian's binary package is compiled
without optimisation), installs r-cran-desolve where it is missing, and runs all solvers in turns in one
process. RIVALS_MEBDFI in the environment names a library with MEBDFI (deTestSet.so of R's package deTestSet,
which is in no Debian package). Everything it makes is below build/rivals. --libraries DIR takes libdae_lang.a and
libdae_solver.a from there instead of building them.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import report  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / "build" / "rivals"
VERSION = "6.4.1"
PACKAGES = ("dpkg-dev", "gcc", "libsundials-dev", "libsuitesparse-dev", "libopenblas-dev", "r-cran-desolve")
DESOLVE = Path("/usr/lib/R/site-library/deSolve/libs/deSolve.so")
SUITESPARSE = "/usr/include/suitesparse"
# what a run with dense or sparse matrices needs of SUNDIALS
PARTS = ("ida", "sundials", "nvector/serial", "sunnonlinsol/newton", "sunlinsol/dense", "sunlinsol/klu",
         "sunlinsol/band", "sunmatrix/dense", "sunmatrix/sparse", "sunmatrix/band")
LEFT_OUT = re.compile(r"xbraid|profiler|/f[a-z]+_?mod|/fsun|/fnvector|/fida")
OURS_LINKS = ("-lklu", "-lbtf", "-lcolamd", "-lamd", "-lsuitesparseconfig")


def call(*command, **options):
    subprocess.run([str(c) for c in command], check=True, **options)


def install_packages():
    missing = [p for p in PACKAGES if subprocess.run(
        ["dpkg", "-s", p], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode]
    if missing:
        call("apt-get", "-qq", "install", "-y", "--no-install-recommends", *missing)


def source_lists(folder):
    """The machine's package sources, asked for source packages."""
    for path in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", path.read_text())
        (folder / path.name).write_text(text)
    paths = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.list")]
    for path in filter(Path.exists, paths):
        lines = [re.sub(r"^deb ", "deb-src ", line) for line in path.read_text().splitlines()]
        (folder / (path.stem + ".list")).write_text(
            "\n".join(line for line in lines if line.startswith("deb-src ")) + "\n")


def fetch(folder):
    """Unpacks Debian's source package of SUNDIALS; gives its root."""
    (folder / "sources").mkdir()
    (folder / "lists" / "partial").mkdir(parents=True)
    source_lists(folder / "sources")
    options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={folder}/sources",
               "-o", f"Dir::State::lists={folder}/lists"]
    call("apt-get", "-qq", *options, "update")
    call("apt-get", "-qq", *options, "source", "--download-only", "sundials", cwd=folder)
    package = next(folder.glob("sundials_*.dsc"))
    if not package.name.startswith(f"sundials_{VERSION}"):
        sys.exit(f"the package is {package.name}, not {VERSION}")
    call("dpkg-source", "-x", package, folder / "src", stdout=subprocess.DEVNULL)
    return folder / "src"


def build_sundials():
    archive = BUILD / f"sundials-{VERSION}.a"
    if archive.exists():
        return archive
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = fetch(folder)
        objects = []
        for part in PARTS:
            for path in sorted((source / "src" / part).glob("*.c")):
                if LEFT_OUT.search(str(path)):
                    continue
                objects.append(folder / (part.replace("/", "_") + "_" + path.stem + ".o"))
                call("gcc", "-O3", "-march=native", "-DNDEBUG", "-w", f"-I{source}/include",
                     f"-I{source}/src/sundials", f"-I{source}/src/ida", "-I" + SUITESPARSE,
                     "-c", path, "-o", objects[-1])
        call("ar", "rcs", archive, *objects)
    return archive


def build_ours(libraries):
    if libraries:
        return Path(libraries)
    call(ROOT / "tools" / "dev" / "build.sh", "release")
    return ROOT / "build" / "release"


def build_driver(sundials, ours):
    driver = BUILD / "rivals"
    call("gcc", "-std=gnu11", "-O3", "-march=native", "-Wall", "-Wextra", "-Wno-cast-function-type",
         f"-I{ROOT}/solver/include", f"-I{ROOT}/lang/include", "-I" + SUITESPARSE, "-rdynamic",
         *sorted(HERE.glob("*.c")), ours / "libdae_lang.a", ours / "libdae_solver.a", sundials,
         *OURS_LINKS, "-ldl", "-lm", "-o", driver)
    return driver


def measure(driver, quick):
    command = [driver, "-d", DESOLVE, "-m", ROOT] + (["-r", "1", "-q", "y"] if quick else [])
    # more than one thread of BLAS costs time on matrices this small
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    result = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, env=environment,
                            check=True)
    (BUILD / "lines.jsonl").write_text(result.stdout)
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--lines", metavar="FILE")
    parser.add_argument("--libraries", metavar="DIR")
    arguments = parser.parse_args()
    if arguments.lines:
        text = Path(arguments.lines).read_text()
    else:
        BUILD.mkdir(parents=True, exist_ok=True)
        install_packages()
        driver = build_driver(build_sundials(), build_ours(arguments.libraries))
        text = measure(driver, arguments.quick)
    lines = [json.loads(line) for line in text.splitlines()]
    mebdfi = json.loads((ROOT / "tests/data/reference/mebdfi.json").read_text())
    page = report.page(lines, mebdfi, with_times=not arguments.quick)
    if arguments.quick:
        print(page)
    else:
        (ROOT / "docs" / "rivals.md").write_text(page)
    print(report.verdict(lines))


if __name__ == "__main__":
    main()
