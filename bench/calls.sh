#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares one-shot typed calls with each MPI's blocking collectives, alternating in one process (bench/calls_mpi.cpp). Prints a
# table of the ratios of times, MPI library / ours: above 1, ours is faster; `~` means that the interval contains 1. Takes
# about two minutes.
# Usage: calls.sh [--mpi "openmpi mpich"] [--ranks "2 4 8"] [--lines FILE] [OPTIONS OF calls_mpi...]
#   --lines  the file for the full output of calls_mpi, with times and intervals
#   Options of calls_mpi: --repetitions N, --most BYTES, --only COLLECTIVE
# Needs the MPIs and a release build with QUADRILLE_BENCH=ON; nothing else may run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/mpi_program.sh
program=calls_mpi all_ranks="2 4 8" lines=''
own_option() {
  taken=0
  [ "$1" != --lines ] || { lines=$2; taken=2; }
}
read_words "$@"
begin
found=$(mktemp)
trap 'rm -f "$found"; leave_control_group' EXIT
for mpi in "${mpis[@]}"; do
  for ranks in $all_ranks; do
    talk "$mpi, $ranks ranks"
    run "$mpi" "$ranks" >>"$found"
  done
done
[ -z "$lines" ] || cp "$found" "$lines"
awk -F'\t' '
  function size(bytes) { return bytes == 0 ? "-" : bytes < 1024 ? bytes " B" : bytes / 1024 " KiB" }
  {
    row = $3 "\t" size($4); column = $1 " " $2
    if (!(row in seen_row)) { seen_row[row] = 1; rows[++row_count] = row }
    if (!(column in seen_column)) { seen_column[column] = 1; columns[++column_count] = column }
    cell[row, column] = sprintf("%.2f%s", $7, $8 <= 1 && 1 <= $9 ? "~" : "")
  }
  END {
    printf "collective\tsize"
    for (c = 1; c <= column_count; ++c) printf "\t%s", columns[c]
    print ""
    for (r = 1; r <= row_count; ++r) {
      printf "%s", rows[r]
      for (c = 1; c <= column_count; ++c) printf "\t%s", cell[rows[r], columns[c]]
      print ""
    }
  }' "$found" | column -t -s "$(printf '\t')"
