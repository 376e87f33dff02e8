#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# neighbours_test.sh QUADRILLE MPIRUN NEIGHBOURS: collectives of neighbours and alltoallw run by exchanges, with the same results
# as by the MPI library. Where that pairs blocks otherwise than the standard says, it keeps the calls.
set -u
quadrille=$1 mpirun=$2 neighbours=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; head -n 60 "$work/said"; exit 1; }
checked() {  # checked WHAT COMMAND...
  timeout 100 "${@:2}" >"$work/said" 2>&1 || wrong "exit code $?, $1"
  grep -q 'all as expected' "$work/said" && ! grep -q '^quadrille: ' "$work/said" || wrong "$1"
}
# Prints the functions that ours ran although it should not, and the reverse. $1: functions that the user has left to the MPI
# library.
amiss() { python3 -c '
import collections, json, sys
left, run, said = sys.argv[1].split(), json.load(open(sys.argv[2])), open(sys.argv[3])
otherwise = [tuple(line[len("otherwise: "):].rsplit(None, 1)) for line in said if line.startswith("otherwise: ")]
ours = collections.Counter()
for row in run["rows"]:
    if row["collective"].startswith("Neighbor_") or row["collective"] == "Alltoallw":
        ours[run["communicators"][row["communicator"]]["name"], row["collective"]] += row["ours_calls"]
if len(ours) < 46: print("there are only", len(ours), "rows")
classes = {row["least_block_bytes"] for row in run["rows"] if row["collective"] == "Neighbor_allgather" and row["ours_calls"]}
if len(classes) < 3: print("sizes of Neighbor_allgather:", classes)
for (name, function), calls in ours.items():
    if (calls == 0) != ((name, function) in otherwise or function in left): print(name, function, calls)
' "$1" "$work/run.json" "$work/said"; }
for ranks in 2 3 4; do
  checked "$ranks ranks without the drop-in" "$mpirun" -n $ranks "$neighbours" 6
  QUADRILLE_ADMIT=1 checked "$ranks ranks" "$mpirun" -n $ranks "$quadrille" wrap --report=full:"$work/run" "$neighbours" 8
  [ -z "$(amiss '')" ] || wrong "what ran the calls on $ranks ranks: $(amiss '')"
done
QUADRILLE_NODE_SIZES=1,3 QUADRILLE_ADMIT=1 checked 'two nodes' "$mpirun" -n 4 "$quadrille" wrap --report=full:"$work/run" "$neighbours" 6
[ -z "$(amiss '')" ] || wrong "what ran the calls on two nodes: $(amiss '')"
QUADRILLE_ADMIT=1 checked 'by choice' "$mpirun" -n 2 "$quadrille" wrap --report=full:"$work/run" \
  --choose 'neighbor_alltoallv=vendor;alltoallw=vendor' "$neighbours" 8
[ -z "$(amiss 'Neighbor_alltoallv Alltoallw')" ] || wrong "what ran the calls by choice: $(amiss 'Neighbor_alltoallv Alltoallw')"
checked 'as for users, with trials' "$mpirun" -n 2 "$quadrille" wrap --report "$neighbours" 100
echo good
