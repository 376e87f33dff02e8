#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The schedule of docs/own-schedules.md in a race under an MPI: by messages, by shared memory and by both, beside the library's own
# collective. A schedule that is wrong or cannot be read ends all ranks with one sentence.
# A command that prints schedules runs once for each size, before MPI is initialised.
# Usage: own_schedule_test.sh MPIRUN QUADRILLE EXAMPLE GENERATOR
set -euo pipefail
mpirun=$1 quadrille=$2 example=$3 generator=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mine=$folder/mine.json broken=$folder/broken.json
python3 "$example" >"$mine"
sed 's/"to": at(r + 1, c)/"to": at(r + 1, c + 1)/' "$example" | python3 >"$broken"

race() { timeout 60 "$mpirun" -n 6 "$quadrille" race --time 0.02 --repetitions 1 --json "$@"; }
fail() { echo "$*"; cat "$folder/out" "$folder/talk" 2>/dev/null; exit 1; }

# races EXECUTORS ARGUMENT...: checks that the schedule and the vendor's collective run and that their data is right.
races() {
  local executors=$1
  shift
  race "$@" >"$folder/out" 2>"$folder/talk" || fail "race $* failed"
  python3 - "$folder/out" "$executors" <<'PYTHON' || fail "race $* did not run all it should"
import json, sys
entries = json.load(open(sys.argv[1]))["sizes"][0]["entries"]
own = [entry for entry in entries if entry["algorithm"] == "rows-then-columns"]
ran = " ".join(sorted(entry["executor"] for entry in own))
sys.exit(not (ran == sys.argv[2] and "vendor" in [entry["algorithm"] for entry in entries] and all(entry["checked"] for entry in entries)))
PYTHON
}

# refuses SENTENCE ARGUMENT...: checks that all ranks end and the sentence is printed once.
refuses() {
  local sentence=$1 code=0
  shift
  race "$@" >"$folder/out" 2>"$folder/talk" || code=$?
  [ $code = 2 ] || fail "race $* ended with $code"
  [ "$(grep -c "$sentence" "$folder/talk")" = 1 ] || fail "race $* did not say once: $sentence"
}

races 'mpi shared' - <"$mine"
races 'mpi shared' alltoall --block 1KiB --schedule "$mine" --algorithm ring
QUADRILLE_NODE_SIZES=2,4 races hybrid "$mine" --executor hybrid --policy dataflow
refuses 'in .*broken.json. is wrong; .quadrille verify. finds: rank 0, 1024 bytes from output\[3072\]: delivery' "$broken"
refuses 'cannot read .*none.json' "$folder/none.json"

# The command writes how often its parent has mapped an MPI library.
printf '#!/bin/sh\ngrep -c libmpi "/proc/$PPID/maps" >>"%s"\nexec python3 "%s" "$@"\n' "$folder/runs" "$generator" >"$folder/counted"
chmod +x "$folder/counted"
race alltoall --block 8B,1KiB --generator "$folder/counted {ranks} {block}" >"$folder/out" 2>"$folder/talk" || fail "the race of a command failed"
python3 - "$folder/out" <<'PYTHON' || fail "the race of a command did not run all it should"
import json, sys
sizes = json.load(open(sys.argv[1]))["sizes"]
names = [sorted({entry["algorithm"] for entry in size["entries"]}) for size in sizes]
sys.exit(names != [["counted", "vendor"]] * 2 or not all(entry["checked"] for size in sizes for entry in size["entries"]))
PYTHON
[ "$(wc -l <"$folder/runs")" = 2 ] || fail "the command ran $(wc -l <"$folder/runs") times for two sizes"
! grep -vx 0 "$folder/runs" || fail "the command ran after MPI was loaded"
refuses '.false 6. failed with exit code 1' alltoall --generator 'false {ranks}'
refuses '{nodes} has no value here' alltoall --generator 'x {nodes}'
