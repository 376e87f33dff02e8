#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints how far schedules near the flow, and the algorithms of the table, are from the bound of C2 shared: bench/flow.sh [SECONDS]
# The search for ways ends after SECONDS (default: no limit). Takes some minutes. Measures nothing but the time to make a schedule.
set -euo pipefail
quadrille=${BUILD:-build/release}/bin/quadrille
limit=${1:+:seconds=$1}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
python3 "$(dirname "$0")/flow_networks.py" "$folder"

# Prints one row: COLLECTIVE TOPOLOGY OPTIONS..
row() {
  local collective=$1 topology=$2 bound found start=$SECONDS
  shift 2
  bound=$("$quadrille" bound "$collective" --topology "$topology" "$@" --json |
    jq '[.bounds[] | select(.figure == "c2_shared") | (.value[0] | tonumber) / (.value[1] | tonumber)] | max')
  "$quadrille" verify "$collective" --topology "$topology" "$@" --algorithm "flow$limit" --json 2> "$folder/messages" > "$folder/flow.json"
  found=$((SECONDS - start))
  "$quadrille" verify "$collective" --topology "$topology" "$@" --algorithm all --json 2> "$folder/messages" |
    jq -r --slurpfile own "$folder/flow.json" --argjson bound "$bound" --arg seconds "$found" \
      --arg row "| $collective | ${topology/#edges:*\//} | ${*//--/} |" '
      def list: if type == "array" then . else .cases? // [.] end;
      def ratio: . / $bound * 100 | round / 100;
      ([list[] | select(.c2_shared and .ok)]) as $table | ($table | min_by(.c2_shared)) as $best |
      ($own[0] | list[0]) as $flow | if $flow.ok then . else error("wrong") end |
      "\($row) \($table[] | select(.algorithm == "direct" or .algorithm == "binomial") | .c2_shared | ratio) | \($best.c2_shared | ratio), \($best.algorithm) | \($flow.c2_shared | ratio) | \($flow.c1) | \($seconds) s |"'
}

echo "| collective | network | sizes | default | best of the table | flow | rounds | made in |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
irregular="torus-three-dead-links torus-dead-node torus-slow-links random-4-regular two-tori-thin-link random-geometric"
for topology in torus:8x8 torus:4x4x4 hypercube:64 dragonfly:9x4x2 fat-tree:6; do row alltoall $topology --block 4KiB; done
row alltoall fat-tree:8 --block 4KiB
for name in $irregular; do row alltoall "edges:$folder/$name" --block 4KiB; done
for topology in torus:8x8 "edges:$folder/random-4-regular" "edges:$folder/torus-three-dead-links" "edges:$folder/torus-slow-links" \
  "edges:$folder/two-tori-thin-link"; do
  for pattern in uniform power-law sparse:0.1 spike:64KiB,512B; do
    sizes=(--pattern $pattern)
    [[ $pattern == spike* ]] || sizes+=(--block 4KiB)  # a spike states its own sizes
    row alltoallv "$topology" "${sizes[@]}"
  done
done
for topology in torus:8x8 "edges:$folder/random-4-regular" "edges:$folder/two-tori-thin-link"; do
  row allgather "$topology" --block 4KiB
  row broadcast "$topology" --block 1MiB
done
