#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# borders_test.sh MPI MPIRUN LIBRARY PROGRAM: runs the cases of borders.c with LIBRARY preloaded. Quadrille runs calls from the
# second one on.
set -u
mpi=$1 mpirun=$2 program=$4
export LD_PRELOAD=$3${LD_PRELOAD:+:$LD_PRELOAD} QUADRILLE_ADMIT=1
said=$(mktemp)
trap 'rm -f "$said"' EXIT
wrong() { echo "wrong: $*"; tail -n 20 "$said"; exit 1; }
right() {  # right RANKS CASE...
  local ranks=$1
  shift
  timeout 30 "$mpirun" -n "$ranks" "$program" "$@" >"$said" 2>&1 || wrong "exit code $? of $*"
  grep -q 'all as expected' "$said" && ! grep -q '^quadrille: ' "$said" || wrong "$*"
}
for level in 0 1 2 3; do right 3 level $level; done
right 3 session  # does nothing where there are none, in Open MPI 4
right 3 session_beside
if [ "$mpi" != mpich ]; then  # over UCX, MPICH cannot connect to processes of another MPI_COMM_WORLD
  right 2 spawn
  right 2 spawn env -u LD_PRELOAD "$program" spawn  # the children run without the drop-in
  right 4 connect
fi
timeout 30 "$mpirun" -n 3 "$program" abort >"$said" 2>&1
code=$?
[ $code != 0 ] && [ $code != 124 ] && ! grep -q 'all as expected' "$said" || wrong "exit code $code after MPI_Abort"
echo good
