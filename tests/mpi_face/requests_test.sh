#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# requests_test.sh QUADRILLE MPIRUN [--fortran] REQUESTS: waiting for a request counts for its collective, with its block.
set -u
quadrille=$1 mpirun=$2
shift 2
fortran=
[ "$1" != --fortran ] || { fortran=1; shift; }
report=$(mktemp) said=$(mktemp)
trap 'rm -rf "$report" "$report".* "$said"' EXIT
wrong() { echo "wrong: $*"; cat "$said" "$report"; exit 1; }
has() { grep -qE -- "$1" "$report" || wrong "the report has no line like '$1'"; }
timeout 60 "$mpirun" -n 2 "$quadrille" wrap --profile --report=full:"$report" "$@" >"$said" 2>&1 || wrong 'the run'
grep -q 'all as expected' "$said" || wrong 'the program'
if [ -n "$fortran" ]; then
  # Half of the ranks waits half a second in each call.
  has '[0-9] s +6  Ialltoall +1000 B '
else
  has '[0-9] s +9  Ialltoall +1000 B '
  has ' 6  Allreduce_init +400 B '
  has ' 2  Iallgatherv .*MPI_COMM_WORLD'
  has ' 2  Allgatherv_init .*MPI_COMM_WORLD'
  has ' 1  Ineighbor_alltoall +200 B '
  has ' 1  Neighbor_alltoall +50 B '
  # 9 blocks of 1000 B by alltoall, 4 of 300 B by allgatherv, from each rank to the other.
  has '^ +0 +– +9.96 KiB'
fi
echo good
