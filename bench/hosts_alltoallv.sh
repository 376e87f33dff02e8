#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Races irregular exchanges between hosts against each MPI's own alltoallv: on 6 and on 4 hosts of this machine (tests/hosts), with
# 4 ranks each, links of 100 Mbit/s, patterns 1 and 2 of [liu2002]. Prints a table as in docs/collectives/alltoallv.md.
# Usage: hosts_alltoallv.sh [--time SECONDS] [--folder FOLDER]   (default 0.4s a race; the JSON of all races is kept in build/bench)
# Needs root, iproute2, util-linux, jq and a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
folder=build/bench time=0.4s
while [ $# -gt 0 ]; do
  case $1 in
    --time) time=$2; shift 2 ;;
    --folder) folder=$2; shift 2 ;;
    *) fail "There is no option $1; see the head of bench/hosts_alltoallv.sh" ;;
  esac
done
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x build/release/bin/quadrille ] || fail "No build/release/bin/quadrille: run ./demo first"
tests/hosts/hosts.sh can || exit 2
mkdir -p "$folder"
find_mpis
candidates=(direct shift two-phase two-phase-bruck)
for counts in gathered headers known; do
  candidates+=("grid:columns=4,counts=$counts" "four-stage:columns=4,counts=$counts")
done
own_control_group
tests/hosts/hosts.sh up 6 100mbit
trap 'tests/hosts/hosts.sh down; leave_control_group' EXIT

printf '%-7s  %-5s  %-19s  %9s  %5s %-12s  %-24s  %5s  %s\n' MPI ranks pattern vendor/ms ratio range 'best in one run' ratio 'best of all, counts known'
for mpi in "${mpis[@]}"; do
  for slots in 4,4,4,4 4,4,4,4,4,4; do
    for pattern in spike:1KiB,16B transpose:1KiB,16B spike:8KiB,16B transpose:8KiB,16B spike:64KiB transpose:64KiB; do
      file=$folder/hosts_${mpi}_${#slots}_$pattern.json
      tests/hosts/run.sh "$mpi" "$slots" build/release/bin/quadrille race alltoallv --pattern "$pattern" --policy nonblocking \
        --time "$time" "${candidates[@]/#/--algorithm=}" --algorithm vendor --json --output "$file" 2>"$folder/hosts.log" ||
        { cat "$folder/hosts.log" >&2; exit 1; }
      jq -r --arg mpi "$mpi" --arg pattern "$pattern" -f bench/hosts_ratio.jq "$file" |
        awk -F '\t' '{printf "%-7s  %-5s  %-19s  %9.2f  %5.2f %-12s  %-24s  %5.2f  %s\n", $1, $2, $3, $4, $5, $6, $7, $8, $9}'
    done
  done
done
