#!/usr/bin/env bash
# Configures and builds one preset into build/PRESET, quietly while all goes
# well: tools/dev/build.sh PRESET [cmake options]. Without options an existing
# configuration stays as it is; DAE_TARGET builds these targets only.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
preset=$1
shift
cd "$root"
mkdir -p "build/$preset"
log="build/$preset/build.log"
exec 9>"build/$preset/.lock"
flock 9 # two calls at once build one after the other

fresh=
[ -f "build/$preset/build.ninja" ] || fresh=yes
if [ -n "$fresh" ]; then
    echo "building the preset $preset into build/$preset" >&2
fi
# An unchanged configuration is not configured again: ninja does that where
# a CMake file or the list of sources has changed.
stamp="build/$preset/.options"
if [ -n "$fresh" ] ||
    { [ $# -gt 0 ] && [ "$(cat "$stamp" 2>/dev/null)" != "$*" ]; }; then
    if ! cmake -G Ninja --preset "$preset" "$@" >"$log" 2>&1; then
        cat "$log" >&2
        exit 1
    fi
    printf '%s' "$*" >"$stamp"
fi
if ! cmake --build "build/$preset" -j "${DAE_JOBS:-$(nproc)}" \
    --target ${DAE_TARGET:-all} >"$log" 2>&1; then
    grep -v '^\[[0-9]*/[0-9]*\] [A-Z]' "$log" >&2 || true
    exit 1
fi
