#!/usr/bin/env python3
"""Keeps a small corpus of a fuzz target in tests/fuzz/corpus/TARGET.

    fuzz_corpus.py PROGRAM TARGET FOLDER...

Asks libFuzzer (-set_cover_merge) which features of the code each input of the kept corpus
and of the folders reaches, and keeps, input by input, the one that reaches most
new features for its size, up to LIMIT_FILES and LIMIT_BYTES. An input is named
after its bytes. Files with a word for a name are inputs that once found
something: they stay whatever they reach.
"""
import hashlib
import heapq
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_FILES = 110
LIMIT_BYTES = 250_000
SIZE_LIMIT = 4096  # of one input
FILE_COST = 1024  # what a file costs beside its bytes
NAMED = re.compile(r"[0-9a-f]{16}")


def read_features(control):
    """Paths and their features as the bits of a number, from a control file of
    -set_cover_merge."""
    with open(control) as lines:
        count = int(next(lines))
        next(lines)
        paths = [next(lines).rstrip("\n") for _ in range(count)]
        numbered, features = {}, {}
        for line in lines:
            what, *words = line.split()
            if what != "FT":
                continue
            bits = {numbered.setdefault(w, len(numbered)) for w in words[1:]}
            mask = bytearray(max(bits, default=0) // 8 + 1)
            for bit in bits:
                mask[bit // 8] |= 1 << bit % 8
            features[paths[int(words[0])]] = int.from_bytes(mask, "little")
    return features


def gather(folders, to):
    """Copies of the inputs: a fuzzer that runs takes some away. Those of the
    first folder keep their names, others are named after their bytes."""
    for folder in reversed(folders):
        for path in folder.iterdir():
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue
            is_kept = folder == folders[0] and not NAMED.fullmatch(path.name)
            if is_kept or len(data) <= SIZE_LIMIT:
                name = hashlib.sha256(data).hexdigest()[:16]
                (to / (path.name if is_kept else name)).write_bytes(data)


def measure(program, folder):
    """What each input reaches."""
    with tempfile.TemporaryDirectory() as scratch:
        control, merged = Path(scratch) / "control", Path(scratch) / "merged"
        merged.mkdir()
        subprocess.run(
            [program, "-set_cover_merge=1", f"-merge_control_file={control}",
             f"-max_len={SIZE_LIMIT}", "-timeout=60", merged, folder],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return read_features(control)


def choose(features, have):
    """A greedy cover: most new features by size first. An input's gain only
    falls as others are taken, so a stale one is measured again when it comes
    to the top."""
    size = {path: Path(path).stat().st_size for path in features}

    def cost(path):
        gain = (features[path] & ~have).bit_count()
        return (-gain / (size[path] + FILE_COST), size[path], path)

    heap = [cost(path) for path in features if size[path] <= SIZE_LIMIT]
    heapq.heapify(heap)
    chosen, total = [], 0
    while heap and len(chosen) < LIMIT_FILES:
        path = heapq.heappop(heap)[2]
        now = cost(path)
        if now[0] == 0:
            continue
        if heap and now > heap[0]:
            heapq.heappush(heap, now)
        elif total + size[path] <= LIMIT_BYTES:
            chosen.append(path)
            total += size[path]
            have |= features[path]
    return chosen


def pick(program, folder):
    """Inputs to keep, and a line about them."""
    features = measure(program, folder)
    named = {path for path in features
             if not NAMED.fullmatch(Path(path).name)}
    have = everything = 0
    for path, bits in features.items():
        everything |= bits
        if path in named:
            have |= bits
    chosen = choose({path: bits for path, bits in features.items()
                     if path not in named}, have)
    for path in chosen:
        have |= features[path]
    return chosen, (f"{len(chosen)} inputs and {len(named)} findings reach "
                    f"{have.bit_count()} of {everything.bit_count()} features")


def main(program, target, *folders):
    kept = ROOT / "tests" / "fuzz" / "corpus" / target
    with tempfile.TemporaryDirectory() as scratch:
        gather([kept, *map(Path, folders)], Path(scratch))
        chosen, line = pick(program, scratch)
        for old in kept.iterdir():
            if NAMED.fullmatch(old.name):
                old.unlink()
        for path in chosen:
            shutil.copy(path, kept)
    print(f"{target}: {line}")


if __name__ == "__main__":
    if len(sys.argv) < 4 or not shutil.which(sys.argv[1]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
