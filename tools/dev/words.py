#!/usr/bin/env python3
"""Phrases that hide what is meant: each has a plainer one. Comments, messages,
pages and models are searched, lines that go on included; the names of tests
and figures are not. Prints FILE:LINE, the phrase, what to write; exit status 1
if there is one.

    tools/dev/words.py [FILE...]      all files of the repository without FILE
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {'.md', '.c', '.h', '.re', '.y', '.def', '.py', '.sh', '.dae'}

# what is refused (words apart by any space), what to write
PHRASES = [
    (r'behind (?:an?|the|each) (?:event|jump|instant)', 'after'),
    (r'(?:is|are|was|were) asked for', 'requested, evaluated, required'),
    (r'units (?:so )?far apart', 'badly scaled'),
    (r'ever shorter bounces', 'event times accumulate'),
    (r'next to nothing', 'negligible, below tolerance'),
    (r'without a word', 'silently'),
    (r'nobody sees', 'is not detected'),
    (r'put onto', 'projected onto'),
    (r'(?:lies|lie|rests) still', 'is at equilibrium'),
    (r'asleep|falls asleep|wakes up', 'inactive, becomes active'),
    (r'leads? beyond', 'passes'),
    (r'at its edge', 'on its threshold'),
]
SEARCH = [(re.compile(r'\b(?:' + p.replace(' ', r'(?:\s+[*#/]*\s*|"\s+")')
                      + r')\b'), p, plain) for p, plain in PHRASES]


def findings(path, text):
    for pattern, _, plain in SEARCH:
        for hit in pattern.finditer(text):
            line = text.count('\n', 0, hit.start()) + 1
            phrase = ' '.join(hit.group().split())
            yield line, f'{path}:{line}: "{phrase}": write {plain}'


def listed():
    names = subprocess.run(['git', 'ls-files'], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split('\n')
    return [n for n in names if Path(n).suffix in SUFFIXES
            and n != 'tools/dev/words.py' and (ROOT/n).is_file()]


def must_find():
    """The check itself: a phrase over two lines of a comment, and none."""
    seen = list(findings('x.c', '/* what is\n * asked for\n */'))
    assert len(seen) == 1 and seen[0][0] == 1, seen
    assert not list(findings('x.c', '/* the value that was requested */'))


def main():
    must_find()
    found = []
    for name in sys.argv[1:] or listed():
        text = (ROOT/name).read_text(encoding='utf-8', errors='replace')
        found += sorted(findings(name, text))
    for _, message in found:
        print(message)
    return 1 if found else 0


sys.exit(main())
