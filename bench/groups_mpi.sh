#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What further communicators cost, ours against each MPI's, with its kindest settings (docs/benchmarking.md): bench/groups_mpi.cpp.
# Usage: groups_mpi.sh [--ranks "2 4"] [--folder FOLDER] [OPTIONS OF groups_mpi...]
#   FOLDER is where the programs are, default build/release/bench. Needs a release build; let nothing else run meanwhile.
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
  [ -x "$folder/groups_mpi_$mpi" ] || fail "No $folder/groups_mpi_$mpi: build the preset release with QUADRILLE_BENCH=ON first"
  for ranks in $all_ranks; do
    run_mpi "$mpi" "$ranks" "$folder/groups_mpi_$mpi" ${options[@]+"${options[@]}"}
  done
done
