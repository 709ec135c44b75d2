#!/usr/bin/env bash
# Same input, same bytes: CSV, JSON, starts and listings of all models, written
# again and again and compared with those of the first time.
#
#   tools/dev/bytes.sh DAE [DAE...]
#
# The first command runs twice as it is; without address randomization; with
# fresh memory full of rubbish, in another folder, under another locale. The
# further ones (the same sources from another compiler) run once each.
# BYTES_JOBS (all processors) runs at a time, BYTES_MODELS (all) are the models.
# One line for each comparison, the sum at the end; status 1 where bytes differ.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export OPENBLAS_NUM_THREADS=1
jobs=${BYTES_JOBS:-$(nproc)}
[ $# -gt 0 ] || { sed -n '2,13s/^# \?//p' "$0"; exit 2; }
commands=()
for dae in "$@"; do commands+=("$(realpath "$dae")"); done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -r "$root/models" "$work/models"
cd "$work"
if [ -n "${BYTES_MODELS:-}" ]; then
    tr ' ' '\n' <<<"$BYTES_MODELS" | grep . >list
else
    find models -name '*.dae' | LC_ALL=C sort >list
fi
count=$(wc -l <list)

# All that can be written of one model, each file with the exit status behind.
write_model() {
    local dae=$1 out=$2 model=$3
    local base=$out/${model#models/}
    base=${base%.dae}
    mkdir -p "$(dirname "$base")"
    keep() {
        local ending=$1 status=0
        shift
        "$@" >"$base.$ending" 2>&1 || status=$?
        echo "exit status $status" >>"$base.$ending"
    }
    keep run "$dae" run --json --no-times "$model" \
        -o "$base.csv" -o "$base.json"
    keep stats "$dae" run --stats --no-times --color never "$model" --points 7
    keep init "$dae" init --json --no-times "$model"
    local what
    for what in tokens ast equations jacobian bytecode; do
        keep "$what" "$dae" show "--$what" "$model"
    done
    keep fmt "$dae" fmt --check "$model"
}
export -f write_model

write_all() {
    local dae=$1 out=$2 list=$3
    shift 3
    mkdir -p "$out"
    "$@" xargs -P "$jobs" -I MODEL \
        bash -c 'write_model "$@"' _ "$dae" "$out" MODEL <"$list"
}

status=0
compare() {
    local name=$1 out=$2
    if diff -rq first "$out" >"$work/differences"; then
        echo "$name: identical"
    else
        echo "$name: $(wc -l <"$work/differences") files differ"
        sed -n 's/^Files first\/\(.*\) and .*/    \1/p; s/^Only/    only/p' \
            "$work/differences" | head -n 20
        status=1
    fi
    rm -rf "$out"
}

first=${commands[0]}
write_all "$first" first list env
write_all "$first" again list env
compare 'a second run' again

note=
if setarch -R true 2>/dev/null; then
    write_all "$first" fixed list setarch -R
    compare 'without address randomization' fixed
else
    note=', addresses always random: the system permits nothing else'
    echo "without address randomization: not permitted"
fi

# Another folder, so that nothing hangs on one; fresh blocks hold no zeros, and
# none of them comes from where it did.
locale=$(locale -a | grep -m 1 -E '^(de|fr|it|es|nl)_' || echo C)
mkdir elsewhere
cp -r models elsewhere/models
cd elsewhere
write_all "$first" "$work/moved" ../list env MALLOC_PERTURB_=165 \
    MALLOC_TOP_PAD_=12345678 MALLOC_MMAP_THRESHOLD_=65536 LC_ALL="$locale" \
    SOME_LONG_VARIABLE="$(head -c 5000 /dev/zero | tr '\0' x)"
cd "$work"
compare "rubbish in fresh memory, locale $locale" moved

for dae in "${commands[@]:1}"; do
    write_all "$dae" other list env
    compare "$dae" other
done

files=$(find first -type f | wc -l)
[ $status -ne 0 ] || echo "bytes: $count models, $files files, identical$note"
exit $status
