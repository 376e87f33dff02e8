#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# operators_test.sh QUADRILLE MPIRUN OPERATORS: Quadrille runs reductions of all predefined operators and types, with the bits of the
# MPI library.
set -u
quadrille=$1 mpirun=$2 operators=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; cat "$work/said"; exit 1; }
QUADRILLE_ADMIT=1 timeout 100 "$mpirun" -n 3 "$quadrille" wrap --report=full:"$work/run" "$operators" >"$work/said" 2>&1 || wrong 'the run'
grep -q 'all as expected' "$work/said" || wrong 'results'
pairs=$(sed -n 's/ pairs$//p' "$work/said")
[ "$pairs" -ge 280 ] || wrong 'the MPI library has most pairs'
# The calls of one kind are the MPI library's until the ranks have met in one of them.
python3 -c '
import json, sys
rows = [row for row in json.load(open(sys.argv[1]))["rows"] if row["collective"] in ("Allreduce", "Scan")]
calls, ours = (sum(row[key] for row in rows) for key in ("calls", "ours_calls"))
why = {each["why"] for row in rows for each in row["passed"]}
print(calls, ours, why)
sys.exit(any("the user" in each for each in why) or ours < calls / 2)
' "$work/run.json" >>"$work/said" || wrong 'ours ran less than half of the calls'
echo good
