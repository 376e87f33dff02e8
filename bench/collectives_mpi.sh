#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Races collectives under each MPI with 2, 4 and 8 ranks, from 8 B to 1 MiB. Each MPI has the settings that are best for it
# (docs/benchmarking.md). Prints the ratio of our best time to the vendor's, by collective, number of ranks and size.
# Usage: collectives_mpi.sh [--time SECONDS] [--folder FOLDER] [COLLECTIVE...]
#   default: every collective that has algorithms, 2s a size. The JSON of all races is kept in FOLDER (default build/bench).
# Needs jq and a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
folder=build/bench time=2s
while [ $# -gt 0 ]; do
  case $1 in
    --time) time=$2; shift 2 ;;
    --folder) folder=$2; shift 2 ;;
    --*) fail "There is no option $1; see the head of bench/collectives_mpi.sh" ;;
    *) break ;;
  esac
done
quadrille=$PWD/build/release/bin/quadrille
sizes=8B,64B,512B,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
mkdir -p "$folder"
find_mpis
if [ $# -gt 0 ]; then collectives=("$@"); else mapfile -t collectives < <("$quadrille" list --json | jq -r '[.[].collective] | unique_by(.)[]'); fi

printf 'Best of ours / vendor, %d cores; more ranks than cores measure context switches as much as algorithms.\n' "$(nproc)"
for collective in "${collectives[@]}"; do
  block=(--block "$sizes")
  [ "$collective" != barrier ] || block=()
  for mpi in "${mpis[@]}"; do
    for ranks in 2 4 8; do
      file=$folder/${collective}_${mpi}_$ranks.json
      run_mpi "$mpi" "$ranks" "$quadrille" race "$collective" "${block[@]}" --policy all --time "$time" --json --output "$file"
      printf '\n%s, %s, %d ranks\n%10s  %6s  %-12s  %10s  %10s  %s\n' "$collective" "$mpi" "$ranks" block/B ratio interval ours/µs vendor/µs algorithm
      jq -r -f bench/best_ratio.jq "$file" | awk -F '\t' '{printf "%10d  %6.2f  %-12s  %10.1f  %10.1f  %s\n", $1, $2, $3, $4, $5, $6}'
    done
  done
done
