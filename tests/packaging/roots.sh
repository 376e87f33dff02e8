# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests of this folder: fresh systems, and a program that is wrapped in them. They need root, mmdebstrap and the network;
# without these the tests are skipped.
wrong() { echo "$*" >&2; exit 1; }
step() { echo "== $*"; }
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "a fresh system needs root"
command -v mmdebstrap >/dev/null || skip "no mmdebstrap"
unshare --mount true 2>/dev/null || skip "no mount namespaces"

# fresh_root FOLDER SUITE PACKAGES..: a Debian with nothing but these packages
fresh_root() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin mmdebstrap --mode=root --variant=minbase ${3:+--include="$(IFS=,; echo "${*:3}")"} \
    --aptopt='APT::Install-Recommends "false"' --aptopt='APT::Sandbox::User "root"' "$2" "$1" http://deb.debian.org/debian >"$1.log" 2>&1 ||
    { tail -n 5 "$1.log"; skip "Debian $2 cannot be fetched"; }
}

inside() {  # inside ROOT COMMAND..: with /proc, /dev and /sys
  unshare --mount bash -euc '
    root=$1
    shift
    for each in proc sys dev; do mount --rbind "/$each" "$root/$each"; done
    HOME=/root LC_ALL=C.UTF-8 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
      OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_plm=isolated exec timeout -k 5 300 chroot "$root" "$@" </dev/null' inside "$@"
}

# sums MPI PROGRAM FLAGS..: builds a program for this MPI
sums() { "mpicc.$1" -O1 "$(dirname "$0")/sums.c" -o "$2" "${@:3}"; }
