#!/usr/bin/env bash
# The newcomer's trial: a bare Debian 12 (debootstrap), a fresh clone, and the
# README's two commands, nothing else. Needs root. The mirror is the one this
# machine's own apt uses.
#
#   tools/dev/bare.sh [FOLDER]     FOLDER keeps the system for the next time
#   BARE_COMMANDS="..."            other commands, one a line
#   BARE_ARCHITECTURE=i386         another Debian architecture that this machine runs
#   BARE_FILES="..."               files that lie beside the clone
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ "$(id -u)" != 0 ]; then
    echo "tools/dev/bare.sh needs root (debootstrap, chroot)" >&2
    exit 2
fi
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    system=$(cd "$1" && pwd)
    keep=yes
else
    system=$(mktemp -d)
    keep=
fi
mounted=
terminals=
cleanup() {
    [ -z "$terminals" ] || umount "$system/dev/pts" || true
    [ -z "$mounted" ] || umount "$system/proc" || true
    [ -n "$keep" ] || rm -rf --one-file-system "$system"
}
trap cleanup EXIT

# First Debian archive that apt knows here, in either of its two notations.
mirror=$({
    sed -n 's/^URIs:[[:space:]]*//p' /etc/apt/sources.list.d/*.sources
    sed -n 's/^deb[[:space:]]\(\[[^]]*\][[:space:]]*\)\?\([^[:space:]]*\).*/\2/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/*.list
} 2>/dev/null | tr ' ' '\n' | grep -E '/debian/?$' | head -n 1) || true
if [ -z "$mirror" ]; then
    echo "no Debian archive in this machine's apt sources" >&2
    exit 2
fi

base=$system/.bare-done
if [ ! -f "$base" ]; then
    debootstrap --variant=minbase ${BARE_ARCHITECTURE:+--arch="$BARE_ARCHITECTURE"} bookworm "$system" "$mirror" \
        >"$system.log" 2>&1 || {
        tail -n 20 "$system.log" >&2
        exit 1
    }
    rm -f "$system.log"
    touch "$base"
fi
# What lets apt reach its archive from here: proxies, certificates, names.
cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
cp /etc/apt/apt.conf.d/*proxy* "$system/etc/apt/apt.conf.d/" 2>/dev/null || true
mount -t proc proc "$system/proc" 2>/dev/null && mounted=yes
# A system that was started has these; a bare root lacks them.
mkdir -p "$system/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$system/dev/pts" \
    2>/dev/null && terminals=yes && ln -sf pts/ptmx "$system/dev/ptmx"

rm -rf "$system/home/newcomer"
mkdir -p "$system/home/newcomer"
git -c safe.directory='*' clone -q "$root" "$system/home/newcomer/daedal"
[ -z "${BARE_FILES:-}" ] || cp $BARE_FILES "$system/home/newcomer"

# The README's two commands, read from the README itself.
commands=${BARE_COMMANDS:-$(sed -n '/^<!-- two commands -->/,/^```$/p' \
    "$root/README.md" | grep '^tools/')}
[ -n "$commands" ] || { echo "README.md names no commands" >&2; exit 2; }
while IFS= read -r command; do
    echo "== newcomer: $command"
    begin=$SECONDS
    chroot "$system" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        ${http_proxy:+http_proxy="$http_proxy"} \
        bash -c "cd /home/newcomer/daedal && $command" </dev/null
    echo "== took $((SECONDS - begin)) s"
done <<<"$commands"
