#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures what further communicators cost, ours and each MPI's, with its best settings (docs/benchmarking.md): bench/groups_mpi.cpp.
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
