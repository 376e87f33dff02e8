#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares exchanges by edges with each MPI's MPI_Alltoallv, alternating in one process (bench/exchange_mpi.cpp, which lists the
# patterns), and neighbor_alltoallv with MPI_Neighbor_alltoallv (pattern neighbors). Prints a table of the ratios of times, MPI
# library / ours: above 1, ours is faster; `~` means that the interval contains 1. Then prints, for equal blocks, the time of a kept
# plan of alltoall/direct and of the exchange, as multiples of the faster one of MPI_Alltoall and the prototype (bench/prototype.hpp).
# Takes about a minute.
# With --hosts it does so between six hosts on this machine (tests/hosts), with links of 100 Mbit/s; and it prints our time as a
# multiple of what the links need for the bytes of the busiest host. Takes some minutes.
# Usage: exchange.sh [--mpi "openmpi mpich"] [--ranks "2 4 8 16"] [--hosts] [--slots "4 1,2,3,4,5,6"] [--lines FILE]
#        [OPTIONS OF exchange_mpi...]
#   --slots  with --hosts: the numbers of ranks on the hosts
#   --lines  the file for the full output of exchange_mpi, with times and intervals
#   Options of exchange_mpi: --repetitions N, --most BYTES, --pattern NAME
# Needs the MPIs and a release build with QUADRILLE_BENCH=ON; nothing else may run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/ratios.sh
program=exchange_mpi all_ranks="2 4 8 16" hosts='' slots="4 1,2,3,4,5,6"
more_options() {
  case $1 in
    --slots) slots=$2 taken=2 ;;
    --hosts) hosts=1 taken=1 ;;
  esac
}
read_words "$@"
begin_ratios
if [ -n "$hosts" ]; then
  tests/hosts/hosts.sh can || exit 2
  tests/hosts/hosts.sh up 6 100mbit
  trap 'tests/hosts/hosts.sh down; rm -f "$found"; leave_control_group' EXIT
  for mpi in "${mpis[@]}"; do
    for each in $slots; do
      talk "$mpi, six hosts, ranks on each: $each"
      tests/hosts/run.sh "$mpi" "$each" "$PWD/$folder/${program}_$mpi" ${options[@]+"${options[@]}"} |
        awk -F'\t' -v OFS='\t' -v slots="$each" '{ $2 = slots; print }' >>"$found"
    done
  done
  all_ranks=''
fi
measure
table 'MPI library / ours' 1 "$ratio"
table 'plan, exchange / best of MPI_Alltoall, prototype' 'NF > 10' 'sprintf("%.2f %.2f", $11 / least($12, $13), $6 / least($12, $13))'
table 'exchange / what the links need' '$10 > 0' 'sprintf("%.2f", $6 / ($10 * 8 / 100))'
