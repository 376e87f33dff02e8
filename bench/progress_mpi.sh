#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How well our collectives overlap with messages in flight, against each MPI's own over each of its transports, and what polling costs
# where nothing is in flight: bench/progress_mpi.cpp.
# Usage: progress_mpi.sh [--ranks "2 4"] [--folder FOLDER] [OPTIONS OF progress_mpi...]
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
# What each MPI sends messages by inside one machine, as settings of its environment.
openmpi_transports=("" OMPI_MCA_btl_vader_single_copy_mechanism=none "OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self")
mpich_transports=("" UCX_TLS=posix,self UCX_TLS=tcp,self)
find_mpis
own_control_group
trap leave_control_group EXIT
for mpi in "${mpis[@]}"; do
  [ -x "$folder/progress_mpi_$mpi" ] || fail "No $folder/progress_mpi_$mpi: build the preset release with QUADRILLE_BENCH=ON first"
  declare -n transports=${mpi}_transports
  for transport in "${transports[@]}"; do
    echo "$mpi, ${transport:-default transport}"
    for ranks in $all_ranks; do
      (
        [ -z "$transport" ] || export ${transport?}
        run_mpi "$mpi" "$ranks" "$folder/progress_mpi_$mpi" ${options[@]+"${options[@]}"}
      )
    done
  done
done
