#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# dropin_test.sh MPI QUADRILLE EVERY: the drop-in on two hosts with 3 ranks and 2. The report is the witness of what ran. First
# Quadrille runs each collective by its own choice, then by each algorithm that applies, for which the user's rules ask: the
# algorithms of a collective get one size of blocks each. Last, every call that the MPI library ran has a cause of the closed list.
set -euo pipefail
source "$(dirname "$0")/begin.sh"
mpi=$1 quadrille=$2 every=$3
begin_hosts 2
wrapped() {  # wrapped WORDS OF wrap.. -- WORDS OF EVERY..
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  timeout 100 "$here/run.sh" "$mpi" 3,2 "$quadrille" wrap "--report=full:$work/run" "${options[@]}" "$every" "$@" >"$work/said" 2>&1 ||
    { cat "$work/said"; exit 1; }
  grep -q 'all as expected' "$work/said" || { cat "$work/said"; exit 1; }
  # Hosts have one file system but write a report each if their ranks end at different times; the counters are complete.
  "$quadrille" report "$work/run.counters" --json --output "$work/run.json"
}

QUADRILLE_ADMIT=1 wrapped -- 4 6
python3 "$here/ran.py" own "$work/run.json"

python3 "$here/ran.py" rules "$quadrille" 3,2 >"$work/rules"
while read -r rules; do
  rm -rf "$work"/run*.counters
  wrapped --choose "$rules" -- 7 3
  python3 "$here/ran.py" chosen "$work/run.json" "$rules"
done <"$work/rules"
echo good
