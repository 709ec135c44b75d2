#!/usr/bin/env bash
# clang-tidy over the project's own sources, two at a time. Findings of
# .clang-tidy's WarningsAsErrors end it with status 1, others are remarks.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
[ -f build/debug-clang/compile_commands.json ] || tools/dev/build.sh debug-clang
find solver lang tools/dae examples -name '*.c' | LC_ALL=C sort |
    xargs -P "${DAE_JOBS:-$(nproc)}" -n 4 \
        clang-tidy-14 --quiet -p build/debug-clang
