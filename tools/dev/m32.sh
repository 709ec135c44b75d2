#!/usr/bin/env bash
# The 32-bit build: a bare Debian 12 of i386 (tools/dev/bare.sh; needs root), in which the
# command is built and runs models, each judged by its own `expect` lines.
#
#   tools/dev/m32.sh [FOLDER] [COUNT]   COUNT (50) models; FOLDER is kept for the next time
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
count=${2:-50}
# one of so many of those that are not slow, and the one that everybody asks for
mapfile -t models < <(grep -L '^# slow' models/*/*.dae | sort)
chosen=(models/chemistry/robertson.dae)
for ((k = 0; k < count - 1; k++)); do
    chosen+=("${models[$((k * ${#models[@]} / (count - 1)))]}")
done
list=$(mktemp -d)/models
trap 'rm -rf "$(dirname "$list")"' EXIT
printf '%s\n' "${chosen[@]}" | sort -u >"$list"
BARE_ARCHITECTURE=i386 BARE_FILES=$list BARE_COMMANDS='tools/dev/install-packages.sh build
tools/dev/build.sh release -DDAE_TESTS=OFF -DDAE_EXAMPLES=OFF
xargs build/release/dae test --time-limit 300 <../models' tools/dev/bare.sh ${1:+"$1"}
count=$(wc -l <"$list")
echo "m32: $count models of i386 hold what they expect"
