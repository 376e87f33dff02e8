#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures how well collectives overlap with messages in flight, ours and each MPI's own over each of its transports, and what
# polling costs if nothing is in flight (bench/progress_mpi.cpp).
# Usage: progress_mpi.sh [--mpi "openmpi mpich"] [--ranks "2 4"] [--folder FOLDER] [OPTIONS OF progress_mpi...]
#   --folder  where the programs are, default build/release/bench
# Needs the MPIs and a release build with QUADRILLE_BENCH=ON; let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/mpi_program.sh
program=progress_mpi all_ranks="2 4"
read_words "$@"
# The transports of each MPI inside one machine, as settings of its environment.
openmpi_transports=("" "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma"
                    "OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_disable_family=6")
mpich_transports=("" UCX_TLS=posix,self UCX_TLS=tcp,self)
begin
for mpi in "${mpis[@]}"; do
  declare -n transports=${mpi}_transports
  for transport in "${transports[@]}"; do
    echo "$mpi, ${transport:-default transport}"
    for ranks in $all_ranks; do
      (
        [ -z "$transport" ] || export ${transport?}
        run "$mpi" "$ranks"
      )
    done
  done
done
