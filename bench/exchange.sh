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
<<<<<<< HEAD
for mpi in "${mpis[@]}"; do
  for ranks in $all_ranks; do
    if [ "$mpi" = mpich ] && [ "$ranks" -gt 8 ]; then continue; fi  # MPICH's collectives wait without yielding
    talk "$mpi, $ranks ranks"
    run "$mpi" "$ranks" >>"$found"
  done
done
[ -z "$lines" ] || cp "$found" "$lines"
table() {  # table TITLE AWK_CONDITION AWK_VALUE
  printf '%s\n' "$1"
  awk -F'\t' '
    function size(bytes) { return bytes < 1024 ? bytes " B" : bytes / 1024 " KiB" }
    function least(a, b) { return a < b ? a : b }
    '"$2"' {
      row = $3 "\t" size($4); column = $1 " " $2
      if (!(row in seen_row)) { seen_row[row] = 1; rows[++row_count] = row }
      if (!(column in seen_column)) { seen_column[column] = 1; columns[++column_count] = column }
      cell[row, column] = '"$3"'
    }
    END {
      printf "pattern\tsize"
      for (c = 1; c <= column_count; ++c) printf "\t%s", columns[c]
      print ""
      for (r = 1; r <= row_count; ++r) {
        printf "%s", rows[r]
        for (c = 1; c <= column_count; ++c) printf "\t%s", cell[rows[r], columns[c]]
        print ""
      }
    }' "$found" | column -t -s "$(printf '\t')"
}
table "MPI_Alltoallv / exchange, MPI_Neighbor_alltoallv / neighbor_alltoallv" 1 'sprintf("%.2f%s", $7, $8 <= 1 && 1 <= $9 ? "~" : "")'
table "kept plan, and exchange / faster one of MPI_Alltoall and prototype" 'NF > 10' \
  'sprintf("%.2f %.2f", $11 / least($12, $13), $6 / least($12, $13))'
table "exchange / what the links need" '$10 > 0' 'sprintf("%.2f", $6 / ($10 * 8 / 100))'
=======
measure
echo 'MPI_Alltoallv / exchange'
table pattern 1 "$ratio"
echo 'kept plan, and exchange / faster one of MPI_Alltoall and prototype'
table pattern 'NF > 10' 'sprintf("%.2f %.2f", $11 / least($12, $13), $6 / least($12, $13))'
echo 'exchange / what the links need'
table pattern '$10 > 0' 'sprintf("%.2f", $6 / ($10 * 8 / 100))'
>>>>>>> 55ee669f (Run two benchmarks, and print their ratios, by one script)
