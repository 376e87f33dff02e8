#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests Quadrille with the MPI libraries of Debian 13 (trixie) on a machine with another Debian; `newer_mpis.sh --help` says how. The
# root directory of that Debian is build/trixie/root. Commands there see this checkout at its own path, and build/trixie/build in place
# of build, so the two systems' builds do not mix. Mounts are made in a mount namespace of the command's own: nobody else sees them, and
# the kernel removes them when the command has ended, in whatever way.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh

usage='Usage: newer_mpis.sh [test | build | run COMMAND..]

Builds and tests Quadrille in a root directory of Debian 13 (Open MPI 5.0.7, MPICH 4.2.1), in build/trixie. Needs root.

  test   makes that directory by debootstrap if there is none (2 GB with the build), builds, and runs all tests labelled mpi (default)
  build  does so without the tests
  run    runs a command in it, after a build; the command sees the checkout at the same path, and /proc, /sys and /dev, but no other
         folder of this machine

Examples:
  scripts/newer_mpis.sh run ctest --preset release -R dropin
  scripts/newer_mpis.sh run build/release/bin/quadrille list executors
  scripts/newer_mpis.sh run bench/programs.sh --hosts 4,4 --mpi mpich alltoall-64-4000
To start anew, remove build/trixie.'
suite=trixie folder=$PWD/build/trixie
root=$folder/root

make_root() {
  local mirror
  [ ! -e "$root" ] || return 0
  command -v apt-get >/dev/null || fail "newer_mpis.sh needs apt-get and debootstrap, as on Debian"
  [ -n "$(command -v debootstrap)" ] || apt_install debootstrap || fail "debootstrap cannot be installed"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Label: Debian' 2>/dev/null | head -n 1)
  talk "Fetching Debian $suite"
  rm -rf "$root.part"
  mkdir -p "$folder"
  quietly unshare --mount debootstrap --variant=minbase "$suite" "$root.part" "${mirror:-http://deb.debian.org/debian}" ||
    fail "debootstrap cannot make the root directory of Debian $suite, for the reason above"
  mv "$root.part" "$root"
}

inside() {  # inside COMMAND..: runs it in the root directory
  mkdir -p "$folder/build"
  # pivot_root and not chroot, because tests/hosts enters mount namespaces, which leaves a chroot.
  unshare --mount bash -euc '
    root=$1 checkout=$2 build=$3
    shift 3
    mount --bind "$root" "$root"
    for each in proc sys dev; do mount --rbind "/$each" "$root/$each"; done
    mkdir -p "$root$checkout"
    mount --bind "$checkout" "$root$checkout"
    mount --bind "$build" "$root$checkout/build"
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
    cd "$root"
    pivot_root . .
    umount --lazy .
    cd "$checkout"
    unset TMPDIR
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin LC_ALL=C.UTF-8 exec "$@"' inside "$root" "$PWD" "$folder/build" "$@"
}

build_there() {
  make_root
  inside scripts/newer_mpis.sh inside-build || fail "Quadrille cannot be built with Debian $suite, for the reason above"
}

inside_build() {  # what the tests labelled mpi need, and no unit tests
  set_up "${build_packages[@]}" "${test_packages[@]}" "${openmpi_packages[@]}" "${mpich_packages[@]}" -- \
    bsdextrautils iproute2 jq gfortran python3-mpi4py
  apt-get clean
  configure release -D QUADRILLE_TESTS=ON &&
    build release --target quadrille_installed tests/mpi/all tests/mpi_face/{abi,trials}/all bench/all examples/all
}

[ $# -gt 0 ] || set -- test
case $1 in
  --help | -h) printf '%s\n' "$usage"; exit 0 ;;
  inside-build) inside_build; exit ;;  # by build_there
  test | build) [ $# = 1 ] || fail "newer_mpis.sh $1 takes no arguments; see newer_mpis.sh --help" ;;
  run) [ $# -gt 1 ] || fail "newer_mpis.sh run needs a command; see newer_mpis.sh --help" ;;
  *) fail "newer_mpis.sh: unknown word '$1'; the words are test, build, run and --help" ;;
esac
is_root || fail "newer_mpis.sh needs root. Run: sudo $0 $*"
unshare --mount true 2>/dev/null || fail "newer_mpis.sh needs mount namespaces, which this system does not give"
case $1 in
  test)
    build_there
    talk "== Tests with the MPIs of Debian $suite"
    result=0 said=$PWD/build/release/tests.log  # at this place in the root directory
    QUADRILLE_WISDOM=off with_progress inside ctest --preset release -L mpi -j "$(nproc)" --progress --output-log "$said" \
      --output-junit "$PWD/build/release/report.xml" || result=1
    sed -n '/^[0-9]*% tests passed/,$p' "$folder/build/release/tests.log"
    exit $result
    ;;
  build) build_there ;;
  run)
    [ -e "$root" ] || fail "There is no root directory of Debian $suite yet. Run: $0 build"
    inside "${@:2}"
    ;;
esac
