#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Races alltoall under each MPI with 2, 4 and 8 ranks, from 8 B to 1 MiB, each with its kindest settings (docs/benchmarking.md),
# and prints the best of ours over the vendor's own, per number of ranks and size.
# Usage: alltoall_mpi.sh [FOLDER]   (the JSON of all races is kept there; default build/bench). Needs jq and a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
folder=${1:-build/bench}
quadrille=$PWD/build/release/bin/quadrille
sizes=8B,64B,512B,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
mkdir -p "$folder"
find_mpis

printf 'Best of ours / vendor, %d cores; more ranks than cores measure context switches as much as algorithms.\n' "$(nproc)"
for mpi in "${mpis[@]}"; do
  for ranks in 2 4 8; do
    file=$folder/alltoall_${mpi}_$ranks.json
    run_mpi "$mpi" "$ranks" "$quadrille" race alltoall --block "$sizes" --policy all --json --output "$file"
    printf '\n%s, %d ranks\n%10s  %6s  %-12s  %10s  %10s  %s\n' "$mpi" "$ranks" block/B ratio range ours/µs vendor/µs algorithm
    jq -r -f bench/best_ratio.jq "$file" | awk -F '\t' '{printf "%10d  %6.2f  %-12s  %10.1f  %10.1f  %s\n", $1, $2, $3, $4, $5, $6}'
  done
done
