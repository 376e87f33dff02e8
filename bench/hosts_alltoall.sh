#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Races our alltoall against both MPIs' own, between hosts with equal and unequal numbers of ranks: six hosts on this machine
# (tests/hosts), links of 100 Mbit/s, alternating launches of both MPIs. Prints a table as in docs/collectives/alltoall.md.
# Usage: hosts_alltoall.sh [--launches N] [--time SECONDS] [--sizes 64B,..] [--slots "4,4,4,4,4,4 .."] [--algorithm SPEC]...
#   default: 2 launches of each MPI, 3 repetitions in each, 3s a size, 64 B to 64 KiB, five distributions of the ranks. The JSON of
#   all races is kept in build/bench/hosts.
# Needs root, iproute2, util-linux, jq, both MPIs and a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
launches=2 time=3s sizes=64B,256B,1KiB,4KiB,16KiB,64KiB algorithms=()
# Distributions of the ranks: equal; ascending; organ pipe; alternately full and small; drawn at random
all_slots="4,4,4,4,4,4 1,2,3,4,5,6 1,3,5,6,4,2 4,1,4,1,4,1 3,6,2,5,1,4"
while [ $# -gt 0 ]; do
  case $1 in
    --launches) launches=$2; shift 2 ;;
    --time) time=$2; shift 2 ;;
    --sizes) sizes=$2; shift 2 ;;
    --slots) all_slots=$2; shift 2 ;;
    --algorithm) algorithms+=("$2"); shift 2 ;;
    *) fail "There is no option $1; see the head of bench/hosts_alltoall.sh" ;;
  esac
done
[ ${#algorithms[@]} -gt 0 ] || algorithms=(clustered combined direct)
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x build/release/bin/quadrille ] || fail "No build/release/bin/quadrille: run ./demo first"
tests/hosts/hosts.sh can || exit 2
find_mpis
folder=build/bench/hosts
mkdir -p $folder
own_control_group
tests/hosts/hosts.sh up 6 100mbit
trap 'tests/hosts/hosts.sh down; leave_control_group' EXIT
for slots in $all_slots; do
  rm -f $folder/"${slots}_$sizes"_*.json
  for ((launch = 1; launch <= launches; ++launch)); do
    for mpi in "${mpis[@]}"; do
      tests/hosts/run.sh "$mpi" "$slots" build/release/bin/quadrille race alltoall --block "$sizes" --executor hybrid --repetitions 3 --time "$time" \
        --seed "$launch" "${algorithms[@]/#/--algorithm=}" --algorithm vendor --json --output "$folder/${slots}_${sizes}_${mpi}_$launch.json" 2>$folder/log ||
        { cat $folder/log >&2; exit 1; }
    done
  done
  jq -s -r --arg slots "$slots" -f bench/hosts_alltoall.jq $folder/"${slots}_$sizes"_*.json
done | { printf 'ranks of the hosts\tblock\tlink\tOpen MPI\tMPICH\tours\ttimes faster\tbest of ours\n'; cat; } | column -t -s "$(printf '\t')"
