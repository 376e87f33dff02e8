#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs two ranks on assumed nodes, the second in a time namespace whose clock is 37 s ahead. Races, traces and calibrations must not be
# affected.
# Usage: clocks_test.sh MPIRUN QUADRILLE. Skips, with the reason, if there can be no such namespace or the machine is too busy.
set -euo pipefail
mpirun=$1 quadrille=$2 ahead=(unshare --time --monotonic 37 --boottime 37 --fork)
# One command for both ranks: with two, separated by a colon, mpirun of Open MPI 5.0.7 crashes.
second_ahead() { "$mpirun" -n 2 sh -c '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}" = 0 ] || exec '"${ahead[*]}"' "$@"; exec "$@"' sh "$@"; }
export QUADRILLE_NODE_SIZES=1,1
skip() { echo "skipped: $*"; exit 0; }
command -v jq >/dev/null || skip "there is no jq"
"${ahead[@]}" true 2>/dev/null || skip "this user may not make time namespaces, or the kernel has none"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

race=("$quadrille" race alltoall --block 16KiB --algorithm direct --repetitions 15 --time 0.3s --json)
# Prints a race as "ratio upper/lower seconds": the ratio of direct to the vendor's collective, the width of its interval, the
# longer time of both, and the bound of its clock error.
figures='.sizes[0].entries | (map(select(.algorithm | startswith("direct")))[0].ratio) as $ratio
         | [$ratio.median, $ratio.upper / $ratio.lower, (map(.most_s) | max), (map(.clock_bound_s) | max)] | join(" ")'
noisy=true
for attempt in 1 2 3; do
  "$mpirun" -n 2 "${race[@]}" >"$folder/same"
  second_ahead "${race[@]}" >"$folder/ahead"
  read -r same same_width _ same_bound < <(jq -r "$figures" "$folder/same")
  read -r other other_width longest other_bound < <(jq -r "$figures" "$folder/ahead")
  echo "attempt $attempt: ratio $same with one clock, $other with two; upper/lower $same_width, $other_width; bound $other_bound s"
  holds() { awk "BEGIN { exit !($1) }"; }
  holds "$longest < 10" || { echo "a run takes $longest s: the clock's offset shows"; exit 1; }
  holds "$same_bound == 0 && $other_bound > 0" || { echo "bounds are $same_bound s with one clock and $other_bound s with two"; exit 1; }
  if holds "$other / $same > 0.8 && $other / $same < 1.25"; then noisy=; break; fi
  holds "$same_width > 1.25 || $other_width > 1.25" || { echo "the ratio changes with the clock"; [ "$attempt" -lt 3 ] || exit 1; }
done

# In a trace each message is complete after it was posted, within the bound of the clock error.
second_ahead "$quadrille" race alltoall --block 16KiB --algorithm direct --repetitions 1 --time 0.1s --trace "$folder/trace" >/dev/null
jq -e '[if type == "array" then .[] else . end | .times[1] | .clock_bound as $bound
       | $bound > 0 and .end < 1e10 and ([.messages.receive_end, .messages.send_begin] | transpose | all(.[0] - .[1] >= -$bound))]
       | length > 0 and all' "$folder/trace" >/dev/null || { echo "a trace shows the clock's offset:"; cat "$folder/trace"; exit 1; }

second_ahead "$quadrille" calibrate --time 0.5s --output "$folder/machine.toml" >/dev/null
startup=$(sed -n '/linear/,/ports/s/^startup_us = \([^ ]*\).*/\1/p' "$folder/machine.toml")
holds "$startup < 1e6" || { echo "a start-up of $startup us: the clock's offset shows"; exit 1; }
echo "calibrated: a start-up of $startup us"
[ -z "$noisy" ] || skip "the machine is too busy to compare ratios"
