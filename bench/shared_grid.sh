#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Races the shared-memory executor against Open MPI's and MPICH's own collectives inside this machine, launches of both in turn, each in
# its kindest settings (docs/benchmarking.md), and prints a table: how many times faster than the better of the two, by ranks and size.
# Usage: shared_grid.sh [--launches N] [--time SECONDS] [--ranks "2 4 8 16"] [--sizes 8B,..] [--algorithm SPEC]... [COLLECTIVE...]
#        [-- OPTIONS OF quadrille race...]
#   default: alltoall, 5 launches of each MPI and number of ranks, 0.3s a size, every algorithm. The JSON of all is kept in build/bench/grid.
# Needs jq, both MPIs and a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
launches=5 time=0.3s all_ranks="2 4 8 16" sizes=8B,256B,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB options=() collectives=()
while [ $# -gt 0 ]; do
  case $1 in
    --launches) launches=$2; shift 2 ;;
    --time) time=$2; shift 2 ;;
    --ranks) all_ranks=$2; shift 2 ;;
    --sizes) sizes=$2; shift 2 ;;
    --algorithm) [ ${#options[@]} -gt 0 ] || options=(--algorithm vendor); options+=(--algorithm "$2"); shift 2 ;;
    --) shift; options+=("$@"); break ;;
    --*) fail "There is no option $1; see the head of bench/shared_grid.sh" ;;
    *) collectives+=("$1"); shift ;;
  esac
done
[ ${#collectives[@]} -gt 0 ] || collectives=(alltoall)
quadrille=$PWD/build/release/bin/quadrille
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
find_mpis
own_control_group
for collective in "${collectives[@]}"; do
  folder=build/bench/grid/$collective
  mkdir -p "$folder"
  rm -f "$folder"/*.json
  for ((launch = 1; launch <= launches; ++launch)); do
    for ranks in $all_ranks; do
      for mpi in "${mpis[@]}"; do
        run_mpi "$mpi" "$ranks" "$quadrille" race "$collective" --block "$sizes" --executor shared --rounds 3 --time "$time" --seed "$launch" \
          ${options[@]+"${options[@]}"} --json --output "$folder/${mpi}_${ranks}_$launch.json"
      done
    done
  done
  printf '\n%s: times faster than the better of %s; %d cores, %d launches\n' "$collective" "${mpis[*]}" "$(nproc)" "$launches"
  jq -s -r -f bench/shared_grid.jq "$folder"/*.json | column -t -s "$(printf '\t')"
done
