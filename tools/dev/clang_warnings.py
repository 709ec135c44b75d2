#!/usr/bin/env python3
"""Reads every source of a build with clang, warnings being errors; builds nothing.

    tools/dev/clang_warnings.py BUILD     a build folder with compile_commands.json

The build's own compiler is gcc, and each of the two warns of what the other does not see.
The exit status is 1 where clang says something, which is printed."""

import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

# Words of gcc that clang does not know, or that only a compilation needs.
LEFT_OUT = {'-Wno-format-truncation', '-MD', '-c'}
WITH_VALUE = {'-o', '-MT', '-MF'}
CLANG = {'.c': 'clang-14', '.cc': 'clang++-14', '.cpp': 'clang++-14'}


def words_of(command, source):
    """The command that reads a source, from the one that compiles it."""
    words = shlex.split(command)
    flags = iter(words[next(k for k, w in enumerate(words) if w.startswith('-')):])
    found = [CLANG[os.path.splitext(source)[1]], '-fsyntax-only']
    for flag in flags:
        if flag in WITH_VALUE:
            next(flags)
        elif flag not in LEFT_OUT and not flag.startswith(('-fsanitize', '-fno-sanitize')):
            found.append(flag)
    return found


def read(entry):
    p = subprocess.run(words_of(entry['command'], entry['file']), cwd=entry['directory'],
                       capture_output=True, text=True, check=False)
    return p.stderr or (f"{entry['file']}: exit {p.returncode}\n" if p.returncode else '')


def main():
    with open(os.path.join(sys.argv[1], 'compile_commands.json'), encoding='utf-8') as f:
        entries = json.load(f)
    assert entries
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [text for text in pool.map(read, entries) if text]
    sys.stdout.write(''.join(said))
    print(f'clang: {len(entries)} sources, {len(said)} with warnings')
    return 1 if said else 0


if __name__ == '__main__':
    sys.exit(main())
