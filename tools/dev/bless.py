#!/usr/bin/env python3
"""Rendered diagnostics: compares them with tests/diag, or rewrites those.

    tools/dev/bless.py --check DAE      the ctest `diag`
    tools/dev/bless.py DAE [NAME...]    rewrites NAME.txt for review

Every tests/diag/NAME.dae is given to the command, `dae run` unless the file
has a line `# command: check --strict`. NAME.txt holds the exit status and
what went to standard error. The code, line and column that must come out are
written by hand in the model, `# expect E0201 at 3:5` (without `at` where there
is no place); they are checked in both modes: blessing cannot change them.
"""
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "diag"
EXPECT = re.compile(r"^#\s*expect\s+([EWN]\d{4})(?:\s+at\s+(\d+):(\d+))?", re.M)
# What the integrator computes is not a matter of texts: it is shown as `~`.
COMPUTED = re.compile(r"-?\d+\.\d{3,}(e[-+]?\d+)?|-?\d(\.\d+)?e-\d\d\b"
                      r"|(?<=order )\d")
COMMAND = re.compile(r"^#\s*command:\s*(.*)$", re.M)


def render(dae, model):
    text = model.read_text(encoding="utf-8", errors="replace")
    command = COMMAND.search(text)
    words = command.group(1).split() if command else ["run"]
    done = subprocess.run(
        [dae, *words, "--color", "never", model.name], cwd=FOLDER,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False,
        env=dict(os.environ, LC_ALL="C.UTF-8"))
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}\n"
    shown = COMPUTED.sub("~", done.stderr.decode("utf-8"))
    return f"exit status {done.returncode}\n{shown}"


def broken_promises(model, shown):
    """Hand-written expectations that the rendered text does not keep."""
    wanted = EXPECT.findall(
        model.read_text(encoding="utf-8", errors="replace"))
    if not wanted:
        return [f"{model.name}: no line `# expect CODE at LINE:COLUMN`"]
    faults = []
    for code, line, column in wanted:
        pattern = rf"\[{code}\]: "
        if line:
            file = re.escape(model.name)
            pattern += rf"[^\n]*\n\s*--> {file}:{line}:{column}\b"
        if not re.search(pattern, shown):
            faults.append(f"{model.name}: {code} at {line}:{column} is "
                          f"expected, shown is\n{shown}")
    return faults


def difference(name, old, new):
    return "".join(difflib.unified_diff(
        old.splitlines(True), new.splitlines(True), name, "shown now"))


def main():
    arguments = sys.argv[1:]
    is_check = arguments[:1] == ["--check"]
    if is_check:
        arguments = arguments[1:]
    if not arguments:
        sys.exit(__doc__)
    dae = str(Path(arguments[0]).resolve())
    faults = []
    models = sorted(FOLDER.glob("*.dae"))
    if not models:
        sys.exit("bless: no models in tests/diag")
    for model in models:
        if arguments[1:] and model.stem not in arguments[1:]:
            continue
        shown = render(dae, model)
        faults += broken_promises(model, shown)
        kept = model.with_suffix(".txt")
        old = kept.read_text(encoding="utf-8") if kept.is_file() else ""
        if shown == old:
            continue
        print(difference(kept.name, old, shown), end="")
        if is_check:
            faults.append(f"{kept.name}: the text has changed")
        else:
            kept.write_text(shown, encoding="utf-8")
    for stale in FOLDER.glob("*.txt"):
        if not stale.with_suffix(".dae").is_file():
            faults.append(f"{stale.name}: has no model")
    print("\n".join(faults))
    print(f"diag: {len(models)} models, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
