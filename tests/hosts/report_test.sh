#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# report_test.sh MPI QUADRILLE COUNTED: two hosts without a common folder for counters write one report of all ranks. If a rank is
# killed, the run ends and each host keeps its counters.
set -euo pipefail
source "$(dirname "$0")/begin.sh"
mpi=$1 quadrille=$2 counted=$3
begin_hosts 2
wrong() { echo "wrong: $*"; cat "$work/said"; exit 1; }
mkdir "$work/node1" "$work/node2"
run() {  # run WORDS OF wrap.. -- WORDS OF COUNTED..: each host has a TMPDIR of its own
  local options=()
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  timeout 100 "$here/run.sh" "$mpi" 3,2 sh -c "exec env TMPDIR=$work/\$(hostname) \"\$@\"" - "$quadrille" wrap "${options[@]}" "$counted" "$@" \
    >"$work/said" 2>&1
}
left() { find "$work/node1" "$work/node2" -name 'rank-*' | wc -l; }

run --report=full -- || wrong 'the run'
[ "$(grep -c "Quadrille's report" "$work/said")" = 1 ] || wrong 'one report'
grep -q ': 5 ranks on 2 hosts' "$work/said" || wrong 'of all ranks'
for rank in 0:node1 2:node1 3:node2 4:node2; do
  grep -qE "^ +${rank%:*}  ${rank#*:} .* well" "$work/said" || wrong "rank ${rank%:*} on ${rank#*:}"
done
[ "$(left)" = 0 ] || wrong 'no counters are left'

run --profile --report=summary:"$work/report" -- || wrong 'the run with a file'
grep -q ': 5 ranks on 2 hosts' "$work/report" || wrong 'a file of all ranks'

run --report -- killed && wrong 'a killed rank ends the run'
[ "$(find "$work/node1" "$work/node2" -name 'rank-*.counters' | wc -l)" = 5 ] || wrong 'the counters of a killed run are kept'
echo good
