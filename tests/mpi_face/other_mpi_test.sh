#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# other_mpi_test.sh QUADRILLE MPIRUN PYTHON PROGRAM: an interpreter's program that loads Open MPI, started by MPICH's launcher, ends
# with a sentence and exit code 2.
set -u
quadrille=$1 mpirun=$2 python=$3 program=$4
said=$(mktemp)
trap 'rm -f "$said"' EXIT
env -u QUADRILLE_MPI timeout 60 "$mpirun" -n 2 "$quadrille" wrap "$python" "$program" >"$said" 2>&1
code=$?
[ $code = 2 ] && grep -q 'the preloaded library is for MPICH, but the program has loaded Open MPI' "$said" || { echo "wrong: exit $code"; cat "$said"; exit 1; }
