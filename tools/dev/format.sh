#!/usr/bin/env bash
# Formats the C sources with clang-format 14, or with --check only says which
# ones would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
format=$(command -v clang-format-14 || command -v clang-format) || {
    echo "clang-format was not found: apt-get install clang-format-14" >&2
    exit 1
}
mapfile -t files < <(find solver lang tools tests examples -name '*.[ch]' \
    -not -path '*/data/*' | LC_ALL=C sort)
if [ "${1:-}" = --check ]; then
    "$format" --style=file --dry-run --Werror "${files[@]}"
else
    "$format" --style=file -i "${files[@]}"
fi
