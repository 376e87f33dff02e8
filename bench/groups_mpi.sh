#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures what each further communicator costs, with our collectives and with each MPI's (bench/groups_mpi.cpp). Each MPI has the
# settings that are best for it (docs/benchmarking.md).
# Usage: groups_mpi.sh [--mpi "openmpi mpich"] [--ranks "2 4"] [--folder FOLDER] [OPTIONS OF groups_mpi...]
#   --folder  where the programs are, default build/release/bench
# Needs the MPIs and a release build with QUADRILLE_BENCH=ON; let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/mpi_program.sh
program=groups_mpi all_ranks="2 4"
read_words "$@"
begin
for mpi in "${mpis[@]}"; do
  for ranks in $all_ranks; do run "$mpi" "$ranks"; done
done
