#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares the simulation by events with LogGOPSim [hoefler2010], an independent simulator: schedules are written as GOAL
# (`quadrille schedule --format goal`) and simulated there and by `quadrille simulate --by events`, with the parameters that LogGOPSim
# has by default. Prints a table in markdown.
# Usage: loggopsim.sh FOLDER    of the programs LogGOPSim and txt2bin, built from https://github.com/spcl/LogGOPSim
# Needs jq and a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
[ "${1:-}" != --help ] || { sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0"; exit 0; }
[ $# = 1 ] && [ -x "$1/LogGOPSim" ] && [ -x "$1/txt2bin" ] || { sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0" >&2; exit 2; }
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
quadrille=$PWD/build/release/bin/quadrille
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/machine.toml" <<'END'
name = "loggopsim"
description = "what LogGOPSim takes by default"
source = "hoefler2010"

[loggp]
latency_us = 2.5
overhead_us = 1.5
gap_us = 1
gap_us_per_byte = 0.006
END

echo '| collective | algorithm | ranks | block | policy | LogGOPSim / ns | by events / ns |'
echo '| --- | --- | --- | --- | --- | --- | --- |'
while read -r collective algorithm ranks block; do
  for policy in blocking dataflow; do
    what=("$collective" --algorithm "$algorithm" --ranks "$ranks" --block "$block")
    "$quadrille" schedule "${what[@]}" --format goal --policy $policy --output "$folder/schedule.goal"
    "$1/txt2bin" -i "$folder/schedule.goal" -o "$folder/schedule.bin" >/dev/null
    # All messages are eager (-S), because schedules receive what is sent at the same time.
    theirs=$("$1/LogGOPSim" -f "$folder/schedule.bin" -b -S 1000000000 | sed -n 's/Maximum finishing time at host [0-9]*: \([0-9]*\).*/\1/p')
    ours=$("$quadrille" simulate "${what[@]}" --machine "$folder/machine.toml" --model loggp --by events --policy $policy --json |
      jq '.candidates[0].end_ps / 1000')
    echo "| $collective | \`$algorithm\` | $ranks | $block | $policy | $theirs | $ours |"
  done
done <<'END'
alltoall bruck 16 64B
alltoall shift 16 1KiB
alltoall direct 16 64B
allgather ring 16 1KiB
allgather recursive-doubling 16 1KiB
allreduce recursive-doubling 16 1KiB
allreduce ring 16 64KiB
allreduce rabenseifner 13 64KiB
broadcast binomial 16 4KiB
broadcast chain 16 4KiB
gather binomial 16 4KiB
END
