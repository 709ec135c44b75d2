#!/usr/bin/env bash
# Runs every fuzz target for some seconds, starting from the models and the
# texts of the tests: tools/dev/fuzz.sh [SECONDS]. What it finds is left in
# build/fuzz/found-*; new inputs that reach new code stay in build/fuzz/corpus.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
seconds=${1:-60}
tools/dev/build.sh fuzz
seeds=build/fuzz/seeds
rm -rf "$seeds"
mkdir -p "$seeds"
while IFS= read -r model; do
    cp "$model" "$seeds/$(echo "$model" | tr / _)"
done < <(find models tests examples -name '*.dae' -size -8k)
status=0
for program in build/fuzz/tests/fuzz/*_fuzz; do
    name=$(basename "$program")
    corpus=build/fuzz/corpus/$name
    mkdir -p "$corpus"
    if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -max_len=2048 -print_final_stats=1 -verbosity=0 \
        -dict=tests/fuzz/words.dict \
        -artifact_prefix="build/fuzz/found-$name-" "$corpus" "$seeds" \
        >"build/fuzz/$name.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' \
            "build/fuzz/$name.log")
        echo "fuzz: $name $runs inputs, no finding"
    else
        status=1
        grep -E 'ERROR|SUMMARY|runtime error|Test unit written' \
            "build/fuzz/$name.log" | head -n 8
        echo "fuzz: $name FOUND something, see build/fuzz/$name.log"
    fi
done
exit $status
