#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures how good a plan's choices are. Races the choice of a plan (auto) beside every algorithm of the table and the MPI
# library's own collective, by each executor. Prints in how many cells auto is slower than the best candidate of the same race, and
# by how much. Run `quadrille tune` first.
# Usage: choices.sh [--estimate] [--mpi "openmpi mpich"] [--ranks "2 4 8 16"] [--sizes 8B,..] [--repetitions N] [--time SECONDS]
#        [--launches N] [--hosts] [COLLECTIVE...]
#   default: all collectives, 15 repetitions, 0.6s a size, under Open MPI. The JSON of all races is kept in build/bench/choices.
#   --estimate  uses the fits of the present wisdom, but not its races
#   --launches  repeats all races N times, and compares sums of times over the launches
#   --hosts     between six hosts instead of on one node: 6 x 4 ranks, links of 100 Mbit/s, alltoall and alltoallv
# Leaves out cells in which other programs took cores from the ranks.
# Needs jq, the MPIs and a release build; with --hosts root, iproute2 and util-linux.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
time=0.6s repetitions=15 launches=1 all_ranks="2 4 8 16" sizes='' hosts='' estimate='' libraries=openmpi collectives=()
while [ $# -gt 0 ]; do
  case $1 in
    --time) time=$2; shift 2 ;;
    --repetitions) repetitions=$2; shift 2 ;;
    --ranks) all_ranks=$2; shift 2 ;;
    --sizes) sizes=$2; shift 2 ;;
    --mpi) libraries=$2; shift 2 ;;
    --launches) launches=$2; shift 2 ;;
    --hosts) hosts=1; shift ;;
    --estimate) estimate=1; shift ;;
    --*) fail "There is no option $1; see the head of bench/choices.sh" ;;
    *) collectives+=("$1"); shift ;;
  esac
done
quadrille=$PWD/build/release/bin/quadrille
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
find_mpis
folder=build/bench/choices
rm -rf "$folder"
mkdir -p "$folder"

without_races() { jq '.races = []'; }  # of a file of wisdom

race() {  # race NAME COLLECTIVE OPTIONS... -- LAUNCH...
  local name=$1 collective=$2 options=()
  shift 2
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  "$@" "$quadrille" race "$collective" "${options[@]}" --algorithm all --algorithm auto --repetitions "$repetitions" --time "$time" --json \
    --output "$folder/$launch/$name.json" 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
}

races() {  # races NAME LAUNCH...: races all collectives
  local name=$1 collective kind size options
  shift
  for collective in "${collectives[@]}"; do
    if [ "$collective" = alltoallv ]; then
      for kind in uniform spike transpose; do
        for size in ${sizes//,/ }; do
          if [ "$kind" = uniform ]; then options=(--pattern uniform --block "$size"); else options=(--pattern "$kind:$size"); fi
          race "${name}_alltoallv_${kind}_$size" alltoallv "${options[@]}" -- "$@"
        done
      done
    elif [ "$collective" = barrier ]; then
      race "${name}_barrier" barrier -- "$@"
    else
      race "${name}_$collective" "$collective" --block "$sizes" -- "$@"
    fi
  done
}

own_control_group
if [ -n "$hosts" ]; then
  : "${sizes:=8B,256B,4KiB,16KiB}"
  [ ${#collectives[@]} -gt 0 ] || collectives=(alltoall alltoallv)
  tests/hosts/hosts.sh can || exit 2
  tests/hosts/hosts.sh up 6 100mbit
  trap 'tests/hosts/hosts.sh down; leave_control_group' EXIT
else
  : "${sizes:=8B,256B,4KiB,64KiB,1MiB}"
  [ ${#collectives[@]} -gt 0 ] || mapfile -t collectives < <("$quadrille" list --json | jq -r '[.[].collective] | unique[]')
  trap leave_control_group EXIT
fi
if [ -n "$estimate" ]; then
  present=$("$quadrille" wisdom path)
  mkdir "$folder/wisdom"
  shopt -s nullglob  # without wisdom, prices are by preset machines
  for file in "$(dirname "$present")"/*.wisdom; do without_races <"$file" >"$folder/wisdom/${file##*/}"; done
  export QUADRILLE_WISDOM=$PWD/$folder/wisdom
fi
for launch in $(seq "$launches"); do
  mkdir "$folder/$launch"
  for mpi in $libraries; do
    if [ -n "$hosts" ]; then
      races "${mpi}_hosts" tests/hosts/run.sh "$mpi" 4
    else
      for ranks in $all_ranks; do races "${mpi}_$ranks" run_mpi "$mpi" "$ranks"; done
    fi
  done
done
jq -n -r -f bench/choices.jq "$folder"/*/*.json
