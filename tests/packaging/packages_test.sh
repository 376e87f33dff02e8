#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the Debian packages and checks them by lintian. Then in a fresh system: installs older ones, upgrades to them, uses them, removes
# and purges them. Nothing may be left outside the user's home.
# Usage: packages_test.sh CHECKOUT
set -euo pipefail
source "$(dirname "$0")/roots.sh"
cd "$1"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$folder/root

step "make"
scripts/package.sh deb
step "lintian"
lintian --allow-root --fail-on error build/packages/*.deb

step "a fresh system"
fresh_root "$root" bookworm
mkdir -p "$root"/packages/{old,new}
cp build/packages/*.deb "$root/packages/new"
version=$(dpkg-deb --field build/packages/quadrille_*.deb Version)
for package in build/packages/*.deb; do  # the same with a lower version
  dpkg-deb --raw-extract "$package" "$folder/old"
  sed -i "s/\b$version\b/0.0.1/g" "$folder/old/DEBIAN/control"
  dpkg-deb -Znone --build "$folder/old" "$root/packages/old" >/dev/null
  rm -r "$folder/old"
done
sums openmpi "$root/root/sums"
inside "$root" apt-get -q update >/dev/null
# /etc has copies of the users' files from before another package has added a user.
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./run -o -path './etc/*shadow-' -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
  -o -path ./var/cache -o -path ./var/log \) -prune -o -print | sort); }
apt() { inside "$root" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 --no-install-recommends "$@" >"$folder/said" 2>&1 ||
  { tail -n 20 "$folder/said"; wrong "apt-get $* failed"; }; }
files >"$folder/before"
mapfile -t old < <(cd "$root" && printf '/%s\n' packages/old/*.deb)
mapfile -t new < <(cd "$root" && printf '/%s\n' packages/new/*.deb)
mapfile -t first < <(printf '%s\n' "${new[@]}" | grep -E '/(quadrille|libquadrille[0-9.]*|quadrille-openmpi)_')

step "the first report"
began=$(date +%s)
apt install "${first[@]}" openmpi-bin
report() { inside "$root" bash -c 'cd /root && mpirun -n 4 quadrille wrap --report=summary:mine.txt ./sums' >"$folder/said" 2>&1 || { cat "$folder/said"; wrong "the program failed"; }
  [ "$(grep -c 'is good' "$folder/said")" = 4 ] || wrong "the results are wrong: $(cat "$folder/said")"
  grep -q Alltoall "$root/root/mine.txt" || wrong "there is no report: $(cat "$root/root/mine.txt")"; }
report
echo "from apt-get install to the first report: $(($(date +%s) - began)) s"
apt purge --autoremove 'quadrille*' 'libquadrille*' openmpi-bin

step "install older packages, upgrade"
apt install "${old[@]}" openmpi-bin
report
apt install "${new[@]}"
[ -z "$(inside "$root" dpkg-query -W -f '${Package} ${Version}\n' '*quadrille*' | grep -v " $version\$")" ] || wrong "not all packages were upgraded"
report
inside "$root" quadrille verify alltoall --algorithm bruck --ranks 5 --block 8B >/dev/null
inside "$root" quadrille reproduce --list >/dev/null  # by the second program
inside "$root" python3 -c 'import quadrille as q; q.alltoall("bruck", ranks=5, block=8).check()'
inside "$root" bash -c 'ldconfig -p | grep -q libquadrille' || wrong "the loader does not know the library"

step "remove and purge"
mapfile -t names < <(inside "$root" dpkg-query -W -f '${Package}\n' '*quadrille*')
apt remove "${names[@]}"
inside "$root" dpkg --purge "${names[@]}" >/dev/null 2>&1
apt purge --autoremove openmpi-bin
[ -z "$(inside "$root" dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' '*quadrille*' 2>/dev/null)" ] || wrong "dpkg still knows the packages"
# In the user's home there are reports, and what the drop-in has learned for the user's next run.
files | comm -13 "$folder/before" - | grep -v '^./root/' >"$folder/left" || true
[ ! -s "$folder/left" ] || wrong "left after the purge: $(cat "$folder/left")"
[ -e "$root/root/mine.txt" ] || wrong "the user's report is gone"
