#!/usr/bin/env bash
# Formats the C sources with clang-format 14, or with --check only shows what
# would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
format=$(command -v clang-format-14 || command -v clang-format) || {
    echo "clang-format was not found: apt-get install clang-format-14" >&2
    exit 1
}
mapfile -t files < <(find solver lang tools tests examples -name '*.[ch]' \
    -not -path 'tests/data/*' | LC_ALL=C sort)
if [ "${1:-}" != --check ]; then
    exec "$format" --style=file -i "${files[@]}"
fi
"$format" --style=file --dry-run -Werror "${files[@]}" 2>/dev/null && exit 0
count=0
change=$(mktemp)
trap 'rm -f "$change"' EXIT
for file in "${files[@]}"; do
    if ! "$format" --style=file "$file" | diff -u --label "$file" \
        --label formatted "$file" - >"$change"; then
        head -n 12 "$change"
        count=$((count + 1))
    fi
done
[ "$count" = 0 ] || echo "$count files are not formatted: run tools/dev/format.sh"
[ "$count" = 0 ]
