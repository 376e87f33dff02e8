#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares our collectives with both MPIs' own between hosts with equal and unequal numbers of ranks: six hosts on this machine
# (tests/hosts), links of 100 Mbit/s. Races what a plan chooses without wisdom, the MPI library's default and each algorithm that the
# library can be forced to take. Prints a table, whose columns docs/benchmarking.md explains.
# Usage: hosts.sh [--collective "allgather broadcast .."] [--sizes 8B,..] [--slots "4,4,4,4,4,4 1,2,3,4,5,6"] [--pattern PATTERN]...
#        [--algorithm SPEC]... [--default-only] [--time SECONDS] [--repetitions N] [--launches N] [--mpi "openmpi mpich"] [--lines FILE]
#        [OPTIONS OF quadrille race...]
#   default: all collectives, 8 B to 64 KiB, 1s a size, 9 repetitions, one launch of each MPI; takes more than an hour
#   --slots         the numbers of ranks on the hosts, one list for each table
#   --pattern       alltoallv: sizes of this pattern (quadrille race --help) in place of random ones around --sizes
#   --algorithm     also races this candidate of ours; a second row of each cell shows the best of ours
#   --default-only  leaves out the forced algorithms of the MPI libraries
#   --launches      alternates between the MPIs, and evaluates the repetitions of all launches together
#   --lines         the file for the lines of the table, separated by tabs, times in seconds
# The JSON of all races is kept in build/bench/hosts. Needs root, iproute2, util-linux, jq, the MPIs and a release build; nothing
# else may run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/mpi_program.sh
collectives='' sizes=8B,64B,512B,4KiB,16KiB,64KiB all_slots="4,4,4,4,4,4 1,2,3,4,5,6" patterns=() time=1s repetitions=9 launches=1 lines=''
algorithms=(--algorithm auto) forced=(--algorithm vendor:all)
own_option() {
  taken=2
  case $1 in
    --collective) collectives=$2 ;;
    --sizes) sizes=$2 ;;
    --slots) all_slots=$2 ;;
    --pattern) patterns+=("$2") ;;
    --algorithm) algorithms+=(--algorithm "$2") ;;
    --default-only) forced=(); taken=1 ;;
    --time) time=$2 ;;
    --repetitions) repetitions=$2 ;;
    --launches) launches=$2 ;;
    --lines) lines=$2 ;;
    *) taken=0 ;;
  esac
}
read_words "$@"
quadrille=build/release/bin/quadrille
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x $quadrille ] || fail "No $quadrille: run ./demo first"
[[ $sizes != *..* ]] || fail "--sizes is a list such as 8B,1KiB"
[ -n "$collectives" ] || collectives=$($quadrille list --json | jq -r '[.[].collective] | unique | join(" ")')
tests/hosts/hosts.sh can || exit 2
find_mpis
[ -z "$libraries" ] || read -ra mpis <<<"$libraries"
folder=build/bench/hosts
rm -rf $folder
mkdir -p $folder
own_control_group
tests/hosts/hosts.sh up 6 100mbit
trap 'tests/hosts/hosts.sh down; leave_control_group' EXIT

race() {  # race FILE MPI SLOTS COLLECTIVE OPTIONS...: without the forced algorithms if the library has none
  local file=$1 mpi=$2 slots=$3 forced=(${forced[@]+"${forced[@]}"}) attempt
  shift 3
  for attempt in 1 2; do
    tests/hosts/run.sh "$mpi" "$slots" env QUADRILLE_WISDOM=off $quadrille race "$@" "${algorithms[@]}" ${forced[@]+"${forced[@]}"} \
      --time "$time" --repetitions "$repetitions" --json --output "$file" ${options[@]+"${options[@]}"} >$folder/log 2>&1 && return
    grep -q 'offers no choice of algorithms' $folder/log || break
    forced=()
  done
  cat $folder/log >&2
  exit 1
}

cell() {  # cell SLOTS COLLECTIVE LABELS OPTIONS...: prints lines for these sizes, whose labels are separated by spaces
  local slots=$1 collective=$2 labels=$3 standard launch mpi name
  shift 3
  name=${slots}_${collective}_${labels// /_}
  standard=$($quadrille list "$collective" --json | jq -r '.[] | select(.default).id')
  $quadrille verify "$collective" --node-sizes "$slots" --algorithm "$standard" "$@" --json --output "$folder/bounds.json"
  for ((launch = 1; launch <= launches; ++launch)); do
    for mpi in "${mpis[@]}"; do
      talk "$collective $labels, $mpi, ranks on the hosts: $slots"
      race "$folder/${name}_${launch}_$mpi.json" "$mpi" "$slots" "$collective" "$@" --seed "$launch"
    done
  done
  jq -s -r -L bench --arg slots "$slots" --arg labels "$labels" --slurpfile bounds $folder/bounds.json -f bench/hosts.jq \
    "$folder/${name}"_*.json
}

for slots in $all_slots; do
  for collective in $collectives; do
    if [ "$collective" = barrier ]; then
      cell "$slots" barrier -
    elif [ "$collective" = alltoallv ] && [ ${#patterns[@]} -gt 0 ]; then
      for pattern in "${patterns[@]}"; do cell "$slots" alltoallv "$pattern" --pattern "$pattern"; done
    else
      cell "$slots" "$collective" "${sizes//,/ }" --block "$sizes"
    fi
  done
done >$folder/lines
[ -z "$lines" ] || cp $folder/lines "$lines"
jq -R -s -r -L bench -f bench/hosts_table.jq $folder/lines | column -t -s "$(printf '\t')"
! grep -q 'disturbed$' $folder/lines || echo "* other programs took cores from the ranks"
