#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# recording_test.sh MPI QUADRILLE RECORDED: the recordings of two hosts without a common folder come together on rank 0's. If a rank
# is killed, each host keeps the files of its ranks.
set -euo pipefail
source "$(dirname "$0")/begin.sh"
mpi=$1 quadrille=$2 recorded=$3
begin_hosts 2
wrong() { echo "wrong: $*"; cat "$work/said"; exit 1; }
mkdir "$work/node1" "$work/node2"
run() {  # run WORDS OF RECORDED..: each host has a folder of its own
  timeout 100 "$here/run.sh" "$mpi" 2,2 sh -c "cd $work/\$(hostname) && exec \"\$@\"" - "$quadrille" wrap --record "$recorded" "$@" >"$work/said" 2>&1
}
files() { find "$work/$1" -name "rank-*.$2" | wc -l; }

run || wrong 'the run'
[ "$(files node1 recording)" = 4 ] && [ "$(files node2 '*')" = 0 ] || wrong 'all files are on the first host'
"$quadrille" recording "$work/node1/quadrille-recording" >"$work/said" 2>&1 || wrong 'printing'
grep -q ': 4 ranks on 2 hosts' "$work/said" || wrong 'both hosts'

rm -r "$work/node1/quadrille-recording"
run killed && wrong 'a killed rank ends the run'
[ "$(files node1 recording)" = 2 ] && [ "$(files node2 recording)" = 2 ] || wrong 'each host keeps the files of its ranks'
echo good
