#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# One-shot typed calls against each MPI's blocking collectives, by turns inside one process (bench/calls_mpi.cpp). Prints a table of the
# ratios MPI library's / ours, so above 1 ours is faster; `~` where the interval holds 1. The collectives with counts (v) make a plan at
# each call. Takes about two minutes.
# Usage: calls.sh [--mpi "openmpi mpich"] [--ranks "2 4 8"] [--lines FILE] [OPTIONS OF calls_mpi...]
#   --lines  all that calls_mpi prints, with times and intervals
#   Options of calls_mpi: --rounds N, --most BYTES, --only COLLECTIVE
# Needs the MPIs and a release build with QUADRILLE_BENCH=ON; let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
all_ranks="2 4 8" libraries='' lines='' options=()
while [ $# -gt 0 ]; do
  case $1 in
    --mpi) libraries=$2; shift 2 ;;
    --ranks) all_ranks=$2; shift 2 ;;
    --lines) lines=$2; shift 2 ;;
    --help) sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0"; exit 0 ;;
    *) options+=("$1"); shift ;;
  esac
done
find_mpis
[ -z "$libraries" ] || read -ra mpis <<<"$libraries"
own_control_group
found=$(mktemp)
trap 'rm -f "$found"; leave_control_group' EXIT
for mpi in "${mpis[@]}"; do
  bench=build/release/bench/calls_mpi_$mpi
  [ -x "$bench" ] || fail "No $bench: build the preset release with QUADRILLE_BENCH=ON first"
  for ranks in $all_ranks; do
    talk "$mpi, $ranks ranks"
    run_mpi "$mpi" "$ranks" "$bench" ${options[@]+"${options[@]}"} >>"$found"
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
