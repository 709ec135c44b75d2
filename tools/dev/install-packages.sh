#!/usr/bin/env bash
# Installs the Debian packages that a task needs and that are missing; says
# nothing and changes nothing where all are there.
#
#   tools/dev/install-packages.sh build|test|check
#
# The one list of packages: everything else in the project asks here.
set -euo pipefail

# `a|b` is satisfied by either and installs the first. The serial OpenBLAS
# comes first: with two cores the threads of the other one cost more than
# they bring on matrices of this project's sizes. gnuplot is for pictures and
# needed at run time only.
build='gcc libc6-dev cmake ninja-build re2c lemon libsuitesparse-dev
       libopenblas-serial-dev|libopenblas-dev|liblapack-dev
       gnuplot-nox|gnuplot-qt|gnuplot-x11'
test="$build g++ python3 pkg-config|pkgconf libcmocka-dev
      clang-14 clang-format-14"
check="$test libclang-rt-14-dev clang-tidy-14 llvm-14 valgrind
       debootstrap git lintian"

case "${1:-}" in
build) wanted=$build ;;
test) wanted=$test ;;
check) wanted=$check ;;
*)
    echo "usage: $0 build|test|check" >&2
    exit 2
    ;;
esac

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=()
for choice in $wanted; do
    found=
    for package in ${choice//|/ }; do
        if is_installed "$package"; then found=$package; fi
    done
    [ -n "$found" ] || missing+=("${choice%%|*}")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "These Debian packages are needed, and there is no apt-get here:" \
        "${missing[*]}" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Not root and no sudo; as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! {
    "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install \
            -y -qq --no-install-recommends "${missing[@]}"
} >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "apt-get failed; needed: ${missing[*]}" >&2
    exit 1
fi
