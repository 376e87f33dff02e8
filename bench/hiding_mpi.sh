#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the share of an alltoall that overlaps with computation, for ours and for MPI_Ialltoall (bench/hiding_mpi.cpp), with and
# without a progress thread.
# Usage: hiding_mpi.sh [--mpi "openmpi mpich"] [--ranks "2 4"] [--folder FOLDER] [OPTIONS OF hiding_mpi...]
#   --folder  where the programs are, default build/release/bench
# Needs the MPIs and a release build with QUADRILLE_BENCH=ON; let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/mpi_program.sh
program=hiding_mpi all_ranks="2 4"
read_words "$@"
begin
for mpi in "${mpis[@]}"; do
  for ranks in $all_ranks; do
    run "$mpi" "$ranks"
    (
      export QUADRILLE_PROGRESS=thread
      run "$mpi" "$ranks" | grep ours
    )
  done
done
