#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# guests_test.sh QUADRILLE MPIRUN GUESTS: gatherv and scatterv run by exchanges on communicators whose own calls never synchronise.
# Communicators whose ranks are not equally far when the world meets are left alone, until the ranks are equally far.
set -u
quadrille=$1 mpirun=$2 guests=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; head -n 60 "$work/said"; exit 1; }
run() {  # run ADMIT RANKS ARGUMENTS...: writes what ran the calls to $work/ran
  local admit=$1 ranks=$2
  shift 2
  QUADRILLE_ADMIT=$admit timeout 60 "$mpirun" -n "$ranks" "$quadrille" wrap --report=full:"$work/run" "$guests" "$@" >"$work/said" 2>&1 || wrong "exit code $?"
  grep -q 'all as expected' "$work/said" && ! grep -q '^quadrille: ' "$work/said" || wrong "$ranks ranks, $*"
  python3 -c '
import json, sys
run = json.load(open(sys.argv[1]))
for row in run["rows"]: print(row["collective"], run["communicators"][row["communicator"]]["name"], row["what"] if row["ours_calls"] else "", row["ours_calls"])
' "$work/run.json" | sort >"$work/ran"
}
for ranks in 3 4; do
  for words in '' ahead; do
    run 1 $ranks 12 $words
    for collective in Gatherv Scatterv; do
      grep -qE "^$collective guests exchange [1-9]" "$work/ran" || wrong "$collective on guests: $(cat "$work/ran")"
    done
  done
  grep -q '^Gatherv others  0' "$work/ran" || wrong "ranks that are ahead: $(cat "$work/ran")"
  run 1 $ranks 12 shared
  for name in copies reversed lower upper pair first second; do
    for collective in Gatherv Scatterv; do
      grep -qE "^$collective $name exchange [1-9]" "$work/ran" || wrong "$collective on $name: $(cat "$work/ran")"
    done
  done
  grep -qE '^(Gatherv|Scatterv) [a-z]+  0' "$work/ran" && wrong "a communicator is left alone: $(cat "$work/ran")"
done
run 0 4 500  # as for users, with trials
echo good
