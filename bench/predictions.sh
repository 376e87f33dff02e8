#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares predicted times with measured ones, in races on one node or, with --hosts, between six hosts on this machine
# (tests/hosts). Each race first fits the model max-rate. Prints median errors, and how often the predicted best candidate is the
# measured best or tied with it.
# Usage: predictions.sh [--time SECONDS] [--repetitions N] [--ranks "2 4 8"] [--sizes 8B,..] [--hosts] [COLLECTIVE...]
#   default: alltoall, 0.6s a size, 5 repetitions, under both MPIs. The JSON of all races is kept in build/bench/predictions.
#   --hosts    between six hosts instead of on one node: 6 x 4 ranks, links of 100 Mbit/s, by default 8 B to 16 KiB
# Needs jq, the MPIs and a release build; with --hosts root, iproute2 and util-linux.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
time=0.6s repetitions=5 all_ranks="2 4 8" sizes='' hosts='' collectives=()
while [ $# -gt 0 ]; do
  case $1 in
    --time) time=$2; shift 2 ;;
    --repetitions) repetitions=$2; shift 2 ;;
    --ranks) all_ranks=$2; shift 2 ;;
    --sizes) sizes=$2; shift 2 ;;
    --hosts) hosts=1; shift ;;
    --*) fail "There is no option $1; see the head of bench/predictions.sh" ;;
    *) collectives+=("$1"); shift ;;
  esac
done
[ ${#collectives[@]} -gt 0 ] || collectives=(alltoall)
quadrille=$PWD/build/release/bin/quadrille
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
find_mpis
folder=build/bench/predictions
rm -rf "$folder"
mkdir -p "$folder"

race() {  # race FILE COLLECTIVE LAUNCH...
  local file=$1 collective=$2
  shift 2
  "$@" "$quadrille" race "$collective" --block "$sizes" --repetitions "$repetitions" --time "$time" --json --output "$file" 2>"$folder/log" ||
    { cat "$folder/log" >&2; exit 1; }
}

own_control_group
if [ -n "$hosts" ]; then
  : "${sizes:=8B,64B,256B,1KiB,4KiB,16KiB}"
  tests/hosts/hosts.sh can || exit 2
  tests/hosts/hosts.sh up 6 100mbit
  trap 'tests/hosts/hosts.sh down; leave_control_group' EXIT
else
  : "${sizes:=8B,256B,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB}"
  trap leave_control_group EXIT
fi
for collective in "${collectives[@]}"; do
  for mpi in "${mpis[@]}"; do
    if [ -n "$hosts" ]; then
      race "$folder/${collective}_${mpi}_hosts.json" "$collective" tests/hosts/run.sh "$mpi" 4
    else
      for ranks in $all_ranks; do race "$folder/${collective}_${mpi}_$ranks.json" "$collective" run_mpi "$mpi" "$ranks"; done
    fi
  done
done
jq -s -r -f bench/predictions.jq "$folder"/*.json | column -t -s "$(printf '\t')"
