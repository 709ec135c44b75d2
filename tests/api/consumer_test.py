#!/usr/bin/env python3
"""Installs the built tree into a temporary prefix and uses it from outside.

consumer_test.py BUILD SOURCE CMAKE: a C and a C++ program are built against
the installed package, once by find_package(dae) and once by pkg-config, and
run; the installed examples and the installed command are tried too.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ENVIRONMENT = dict(os.environ, OPENBLAS_NUM_THREADS="1")


def run(*command, **options):
    command = [str(c) for c in command]
    done = subprocess.run(command, env=options.pop("env", ENVIRONMENT),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **options)
    if done.returncode != 0:
        print("$", *command)
        print(done.stdout)
        sys.exit(f"failed with status {done.returncode}")
    return done.stdout


def expect_output(where, text):
    for line in ("x(1) = 0.367879", "y(1) = 0.135335"):
        if line not in text:
            sys.exit(f"{where}: no `{line}` in:\n{text}")


def by_cmake(cmake, source, prefix, work):
    build = work / "cmake"
    run(cmake, "-G", "Ninja", "-S", source / "tests/api/consumer",
        "-B", build,
        f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run(cmake, "--build", build)
    for name in ("consumer_c", "consumer_cpp"):
        expect_output(f"cmake {name}", run(build / name))


def by_pkg_config(source, prefix, work):
    folders = [p.parent for p in prefix.rglob("dae.pc")]
    if not folders:
        sys.exit("dae.pc is not installed")
    env = dict(ENVIRONMENT, PKG_CONFIG_PATH=str(folders[0]),
               LD_LIBRARY_PATH=str(folders[0].parent))

    def flags(package):
        return run("pkg-config", "--cflags", "--libs", package,
                   env=env).split()

    for compiler, name in (("cc", "consumer.c"), ("c++", "consumer.cpp")):
        program = work / ("pc_" + name.replace(".", "_"))
        run(compiler, source / "tests/api/consumer" / name, "-o", program,
            *flags("dae"), env=env)
        expect_output(f"pkg-config {name}", run(program, env=env))
    examples = prefix / "share/doc/dae/examples"
    for name, package in (("handwritten_problem", "dae-solver"),
                          ("coloured_differences", "dae-solver"),
                          ("load_model", "dae")):
        program = work / name
        run("cc", examples / f"{name}.c", "-o", program, *flags(package),
            "-lm", env=env)
        run(program, cwd=examples, env=env)


def installed_files(prefix):
    for name in ("include/dae/dae.h", "include/dae/solver.h", "bin/dae",
                 "share/doc/dae/LICENSE", "share/doc/dae/docs/language.md",
                 "share/dae/models", "share/man/man1/dae.1.gz",
                 "share/man/man1/dae-run.1.gz", "share/fish/vendor_completions.d/dae.fish",
                 "share/bash-completion/completions/dae", "share/zsh/site-functions/_dae"):
        if not (prefix / name).exists():
            sys.exit(f"not installed: {name}")
    private = [p for p in prefix.glob("include/**/*.h")
               if p.parent.name != "dae"]
    if private:
        sys.exit(f"private headers are installed: {private}")
    version = run(prefix / "bin/dae", "--version")
    if "dae" not in version:
        sys.exit(f"dae --version says: {version}")


def exported_names(prefix):
    """Archives and shared libraries define global names that begin with dae_."""
    found = 0
    for library in sorted(p for p in prefix.rglob("libdae_*") if not p.is_symlink()):
        way = ["-D"] if ".so" in library.name else ["-g"]
        lines = run("nm", *way, "--defined-only", library).splitlines()
        names = [line.split()[2] for line in lines if len(line.split()) == 3]
        strange = [name for name in names if not name.startswith("dae_")]
        if strange:
            sys.exit(f"{library.name} defines {len(strange)} other names: {strange[:9]}")
        found += len(names)
    if found < 100:
        sys.exit(f"only {found} names are defined")


def uninstalled(cmake, build, prefix):
    """Nothing is left of it, and what is not of it stays."""
    other = prefix / "share/doc/other"
    other.mkdir(parents=True)
    run(cmake, "--install", build, "--prefix", prefix)
    run(cmake, "--build", build, "--target", "uninstall")
    left = [p for p in prefix.rglob("*") if "dae" in p.name]
    if left or not other.is_dir():
        sys.exit(f"after uninstall: {left}")


def main():
    build, source, cmake = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    work = Path(tempfile.mkdtemp(prefix="dae-api-"))
    try:
        prefix = work / "prefix"
        run(cmake, "--install", build, "--prefix", prefix)
        installed_files(prefix)
        exported_names(prefix)
        by_cmake(cmake, source, prefix, work)
        by_pkg_config(source, prefix, work)
        # An installation may be moved: nothing in it knows where it was made.
        moved = work / "moved"
        prefix.rename(moved)
        shutil.rmtree(work / "cmake")
        by_cmake(cmake, source, moved, work)
        uninstalled(cmake, build, work / "again")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
