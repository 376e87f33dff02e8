#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What share of an alltoall hides behind computation, ours and MPI_Ialltoall's (bench/hiding_mpi.cpp), with and without a progress
# thread. Usage: hiding_mpi.sh [--ranks "2 4"] [--folder FOLDER] [OPTIONS OF hiding_mpi...]
# Needs the MPIs and a release build with QUADRILLE_BENCH=ON; let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
all_ranks="2 4" folder=build/release/bench options=()
while [ $# -gt 0 ]; do
  case $1 in
    --ranks) all_ranks=$2; shift 2 ;;
    --folder) folder=$2; shift 2 ;;
    *) options+=("$1"); shift ;;
  esac
done
find_mpis
own_control_group
trap leave_control_group EXIT
for mpi in "${mpis[@]}"; do
  [ -x "$folder/hiding_mpi_$mpi" ] || fail "No $folder/hiding_mpi_$mpi: build the preset release with QUADRILLE_BENCH=ON first"
  for ranks in $all_ranks; do
    run_mpi "$mpi" "$ranks" "$folder/hiding_mpi_$mpi" ${options[@]+"${options[@]}"}
    (
      export QUADRILLE_PROGRESS=thread
      run_mpi "$mpi" "$ranks" "$folder/hiding_mpi_$mpi" ${options[@]+"${options[@]}"} | grep ours
    )
  done
done
