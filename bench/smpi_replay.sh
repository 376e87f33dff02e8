#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Replays a recording in SimGrid's SMPI, an independent simulator, and by `quadrille project`, on the same machine, and prints a line of
# JSON with both totals (docs/smpi.md). SMPI takes its imitation of Open MPI's collectives (smpi/coll-selector:ompi).
# Usage: smpi_replay.sh RECORDING --node-sizes 6x4 [--machine FILE|NAME] [--rate 100mbit] [--placement cyclic] [--selector mpich]
#                       [--overhead US] [--vendor mpich] [--computing FACTOR] [--away FACTOR] [--quadrille COMMAND] [--keep FOLDER]
#   --machine   figures of the model max-rate, as for `quadrille project`. Default: an Ethernet of the rate, with 50 us a message
#   --rate      of each node's link, as tc writes it (kbit, mbit, gbit), instead of the machine's
#   --selector  SMPI's collectives: ompi (default), mpich, mvapich2, impi
#   --overhead  of SMPI's sender and of its receiver for each message, in microseconds, the same inside nodes and between them; the
#               rest of the machine's start-up is latency, in which SMPI overlaps messages. Default: half of a start-up inside a node
#   --vendor    for `quadrille project`: the library whose choices are compared
#   --quadrille the command, if it is not build/release/bin/quadrille
#   --keep      for the traces, the platform and the outputs; default: a temporary folder, which is removed
# If SMPI cannot replay the recording, "smpi" is null, and "reason" says why. SMPI replays blocking collectives on MPI_COMM_WORLD and
# its copies; messages and the making of communicators take what they took in the recorded run, as in `quadrille project`.
# Needs SimGrid 3.32 or so (Debian: libsimgrid-dev), Python 3.11, jq and a release build.
set -euo pipefail
caller=$PWD
cd "$(dirname "$0")/.."
source scripts/setup.sh
of_caller() { [[ $1 = /* ]] && echo "$1" || echo "$caller/$1"; }  # a path as the caller wrote it
usage() { sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0"; }
recording='' node_sizes='' machine='' rate='' placement=block selector=ompi vendor=() overhead=() factors=() keep='' quadrille=$PWD/build/release/bin/quadrille
while [ $# -gt 0 ]; do
  [[ $# -gt 1 || ! $1 =~ ^--(node-sizes|machine|rate|placement|selector|vendor|computing|away|overhead|quadrille|keep)$ ]] ||
    fail "$1 needs a value; see bench/smpi_replay.sh --help"
  case $1 in
    --help) usage; exit 0 ;;
    --node-sizes) node_sizes=$2; shift 2 ;;
    --machine) machine=$2; shift 2 ;;
    --rate) rate=$2; shift 2 ;;
    --placement) placement=$2; shift 2 ;;
    --selector) selector=$2; shift 2 ;;
    --vendor) vendor=(--vendor "$2"); shift 2 ;;
    --computing | --away) factors+=("$1" "$2"); shift 2 ;;
    --overhead) overhead=(--overhead "$2"); shift 2 ;;
    --quadrille) quadrille=$2; shift 2 ;;
    --keep) keep=$(of_caller "$2"); shift 2 ;;
    -*) fail "There is no option $1; see bench/smpi_replay.sh --help" ;;
    *) [ -z "$recording" ] || fail "Name one recording, not $recording and $1"; recording=$(of_caller "$1"); shift ;;
  esac
done
[ -n "$recording" ] && [ -n "$node_sizes" ] || { usage >&2; exit 2; }
[ -n "$machine" ] || [ -n "$rate" ] || fail "Name a machine by --machine or the rate of its links by --rate"
[[ $placement = block || $placement = cyclic ]] || fail "--placement is block or cyclic, not $placement"
[[ $selector =~ ^(ompi|mpich|mvapich2|impi)$ ]] || fail "--selector is ompi, mpich, mvapich2 or impi, not $selector"
[ ${#overhead[@]} = 0 ] || [[ ${overhead[1]} =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "--overhead is microseconds, such as 0.5, not ${overhead[1]}"
command -v smpirun >/dev/null || fail "There is no SimGrid here (Debian: libsimgrid-dev)"
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
if [ -n "$keep" ]; then
  mkdir -p "$keep"
  folder=$(cd "$keep" && pwd)
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi

us_per_byte=''
if [ -n "$rate" ]; then  # of a frame of 1,514 bytes 1,448 are data
  [[ $rate =~ ^([0-9]+)([kmg]?)bit$ ]] || fail "--rate is a rate such as 100mbit, not $rate"
  case ${BASH_REMATCH[2]} in k) scale=1e3 ;; m) scale=1e6 ;; g) scale=1e9 ;; *) scale=1 ;; esac
  us_per_byte=$(awk -v bits="${BASH_REMATCH[1]}" -v scale=$scale 'BEGIN {printf "%.6g", 8e6 / (bits * scale) * 1514 / 1448}')
fi
# Both simulators read this file.
if [ -z "$machine" ]; then
  cat >"$folder/machine.toml" <<END
name = "ethernet"
description = "Ethernet of $rate"
source = "bench/smpi_replay.sh"

[max-rate]
startup_us = 50
us_per_byte = $us_per_byte
node_us_per_byte = $us_per_byte
inside_startup_us = 1
inside_us_per_byte = 0.0002
END
else
  [ ! -e "machines/$machine.toml" ] || machine=machines/$machine.toml
  machine=$([ -e "$machine" ] && echo "$machine" || of_caller "$machine")
  [ -e "$machine" ] || fail "There is no machine $machine"
  awk -v rate="$us_per_byte" '/^\[/ {inside = $0 == "[max-rate]"}
    inside && rate && /^(node_)?us_per_byte *=/ {print $1 " = " rate; next} {print}' "$machine" >"$folder/machine.toml"
fi

"$quadrille" recording "$recording" --json >"$folder/recording.json"
bench/smpi/replay_trace.py "$folder/recording.json" "$folder" --node-sizes "$node_sizes" --placement "$placement" --machine "$folder/machine.toml" \
  ${overhead[@]+"${overhead[@]}"} ${factors[@]+"${factors[@]}"} >"$folder/traced.json"
"$quadrille" project "$recording" --node-sizes "$node_sizes" --placement "$placement" --machine "$folder/machine.toml" --json \
  ${vendor[@]+"${vendor[@]}"} ${factors[@]+"${factors[@]}"} >"$folder/project.json"
in_smpi() {  # in_smpi OPTIONS...: prints the simulated time; fails if SMPI does
  local each
  each=0:$(jq -r .overhead_s "$folder/traced.json"):0
  smpirun -np "$(jq .ranks "$folder/traced.json")" -platform "$folder/platform.xml" -hostfile "$folder/hosts" -replay "$folder/traces" \
    --cfg=smpi/host-speed:1 --cfg=network/model:SMPI --cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 --cfg=network/weight-S:0 \
    --cfg=network/crosstraffic:no --cfg=smpi/os:"$each" --cfg=smpi/ois:"$each" --cfg=smpi/or:"$each" \
    --cfg=smpi/coll-selector:"$selector" "$@" >"$folder/smpi.log" 2>&1 &&
    sed -n '/smpi_replay\/INFO\] Simulation time/{s/.* //p;q}' "$folder/smpi.log" | grep .
}
total=null note=''
if jq -e '.reason | not' "$folder/traced.json" >/dev/null && ! total=$(in_smpi); then
  # SMPI 3.32 aborts in the allgatherv that its selector ompi takes for short blocks.
  note='allgatherv by ompi_neighborexchange, because the choice of the selector fails'
  total=$(in_smpi --cfg=smpi/allgatherv:ompi_neighborexchange) || { tail -n 5 "$folder/smpi.log" >&2; fail "SMPI failed by its selector $selector; its last lines are above"; }
fi
# The time in collectives, with waiting for late ranks, is the total less what both simulators replay as recorded.
jq -c -n --argjson total "$total" --slurpfile traced "$folder/traced.json" --slurpfile project "$folder/project.json" --arg selector "$selector" --arg note "$note" '
  def parts: {total_s: .total_s.value, collectives_s: (.waiting_s.value + .collectives_s.value)};
  $traced[0] as $traced | $project[0] as $project |
  {program: $project.program, ranks: $project.ranks, nodes: $project.nodes, selector: $selector,
   smpi: (if $total then {total_s: $total, collectives_s: ($total - $traced.outside_s)} else null end),
   project: ($project.vendor | parts), project_ours: ($project.ours | parts)} + ({note: $note} + ($traced | {reason}) | with_entries(select(.value | . != null and . != "")))'
