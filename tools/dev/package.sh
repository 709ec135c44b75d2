#!/usr/bin/env bash
# Makes the Debian packages and examines them: build/package/packages/*.deb.
#
#   tools/dev/package.sh           builds, and fails where lintian finds an error
#   tools/dev/package.sh trial     then installs, uses and removes them in a bare Debian 12
#                                  (tools/dev/bare.sh; needs root)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
packages=build/package/packages
rm -rf "$packages"
tools/dev/build.sh package
(cd build/package && cpack >cpack.log 2>&1) || {
    tail -n 20 build/package/cpack.log >&2
    exit 1
}
for package in "$packages"/*.deb; do
    echo "== $(basename "$package")"
    dpkg-deb -f "$package" Package Depends Suggests Installed-Size
done
lintian --fail-on error --tag-display-limit 0 --allow-root "$packages"/*.deb ||
    { echo "lintian finds errors" >&2 && exit 1; }
count=$(ls "$packages"/*.deb | wc -l)
if [ "${1:-}" != trial ]; then
    echo "package: $count packages, no errors of lintian"
    exit 0
fi

# What a user does with them; ~/files is a copy of the packages.
commands='apt-get update -qq
cd .. && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ./*.deb >/dev/null
dae run /usr/share/dae/models/chemistry/robertson.dae && dae run /usr/share/dae/models/mechanics/pendulum.dae --linear umfpack --quiet
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config >/dev/null
cc tests/api/consumer/consumer.c -o /tmp/consumer $(pkg-config --cflags --libs dae) && /tmp/consumer
DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq dae libdae-dev "libdae0*" >/dev/null
! find / -xdev -not -path "/home/*" -not -path "/proc/*" -not -path "/var/cache/*" -not -path "/var/log/*" \( -name "*dae.*" -o -name "*dae_*" -o -name dae -o -name "_dae" -o -name "libdae*" \) | grep .'
BARE_FILES=$(echo "$packages"/*.deb) BARE_COMMANDS=$commands tools/dev/bare.sh
echo "package: $count packages, no errors of lintian, installed, used and removed in a bare Debian 12"
