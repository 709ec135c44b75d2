#!/usr/bin/env bash
# Runs every fuzz target for some minutes, one after the other, starting from
# the kept corpus, the models and the texts of the tests:
#     tools/dev/fuzz.sh [MINUTES [TARGET...]]
# Adds to the totals (tests/fuzz/totals.tsv, docs/fuzz-report.md). What it finds
# is left in build/fuzz/found-*; new inputs that reach new code stay in
# build/fuzz/corpus, from where tools/dev/fuzz_corpus.py picks those to keep.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
minutes=${1:-1}
shift || true
targets=("$@")
[ $# -gt 0 ] || targets=(scan parse compile verify steps check csv)
export OPENBLAS_NUM_THREADS=1
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1

DAE_TARGET=fuzz_targets tools/dev/build.sh fuzz
seeds=build/fuzz/seeds
rm -rf "$seeds"
mkdir -p "$seeds"
while IFS= read -r model; do
    cp "$model" "$seeds/$(echo "$model" | tr / _)"
done < <(find models tests examples -name '*.dae' -size -8k)

# Runs one target; prints its line.
fuzz() {
    local name=$1 log=build/fuzz/$1.log corpus=build/fuzz/corpus/$1
    local seconds=$((minutes * 60)) begin=$SECONDS runs line
    local inputs=("$corpus" "tests/fuzz/corpus/$name") words=()
    mkdir -p "$corpus"
    if [ "$name" != verify ] && [ "$name" != csv ]; then # which read no model
        inputs+=("$seeds")
        words=(-dict=tests/fuzz/words.dict)
    fi
    local status=0
    "build/fuzz/tests/fuzz/${name}_fuzz" -max_total_time="$seconds" \
        -timeout=60 -rss_limit_mb=2048 -max_len=4096 -mutate_depth=2 \
        -print_final_stats=1 \
        "${words[@]}" -artifact_prefix="build/fuzz/found-$name-" \
        "${inputs[@]}" >"$log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ $status -eq 0 ]; then
        # reading the corpus may take longer than was requested
        seconds=$((SECONDS - begin < seconds ? SECONDS - begin : seconds))
        tools/dev/fuzz_totals.py add "$name" "${runs:-0}" "$seconds"
        line="no finding"
    else
        tools/dev/fuzz_totals.py found "$name" "${runs:-0}"
        grep -aE 'broken|ERROR|SUMMARY|runtime error|Test unit written' "$log" |
            head -n 8
        line="FOUND something, see $log"
    fi
    echo "fuzz: $name ${runs:-0} inputs, $line"
    return $status
}

status=0
for name in "${targets[@]}"; do
    fuzz "$name" || status=1
done
tools/dev/fuzz_totals.py show
exit $status
