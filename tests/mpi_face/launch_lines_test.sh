#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# launch_lines_test.sh QUADRILLE MPI MPIRUN EVERY: the drop-in in lines of launchers other than -n N PROGRAM. The report is the witness
# that all ranks belong to one run.
set -euo pipefail
quadrille=$1 mpi=$2 mpirun=$3 every=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
cp "$every" "$work/other"
good() {  # good WORDS OF THE LAUNCHER..: do 4 ranks run as one?
  timeout -k 5 60 "$mpirun" "$@" >"$work/said" 2>&1 </dev/null || { echo "wrong: $*"; cat "$work/said"; exit 1; }
  grep -q 'all as expected' "$work/said" && [ "$(grep -c "Quadrille's report" "$work/said")" = 1 ] &&
    grep -q ': 4 ranks on 1 host' "$work/said" || { echo "wrong: $*"; cat "$work/said"; exit 1; }
}
wrapped=("$quadrille" wrap --report)
good -n 1 "${wrapped[@]}" "$every" 2 2 : -n 3 "${wrapped[@]}" "$work/other" 2 2  # several programs, one world
if [ "$mpi" = openmpi ]; then
  good --map-by node:OVERSUBSCRIBE --bind-to none -n 4 "${wrapped[@]}" "$every" 2 2
  echo 'localhost slots=4' >"$work/hosts"
  good --hostfile "$work/hosts" --map-by slot --bind-to none "${wrapped[@]}" "$every" 2 2
else
  good -map-by core -bind-to core -n 4 "${wrapped[@]}" "$every" 2 2
  echo 'localhost:4' >"$work/hosts"
  good -f "$work/hosts" -n 4 "${wrapped[@]}" "$every" 2 2
fi
echo good
