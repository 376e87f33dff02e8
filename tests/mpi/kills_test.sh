#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Kills a random rank of a running soak test, many times: the others must end with the right exit code and leave nothing behind.
# Usage: kills_test.sh QUADRILLE SOAK [TIMES]
set -euo pipefail
quadrille=$1 soak=$2 times=${3:-3} ranks=4
# A file with a name would outlive a killed rank. Only what the ranks use counts: other programs may come and go in /dev/shm.
named() { { cat "/proc/$1/maps"; readlink "/proc/$1/fd/"*; } 2>/dev/null | grep -o '/dev/shm/.*'; }
for ((i = 0; i < times; ++i)); do
  "$quadrille" run -n $ranks "$soak" 100000000 "$i" 2>/dev/null &
  launcher=$!
  children=()
  while [ ${#children[@]} -lt $ranks ]; do
    guard=$(ps -o pid= --ppid $launcher | tr -d ' ') || true  # the guard may not exist yet; the ranks are its children
    mapfile -t children < <([ -z "$guard" ] || ps -o pid= --ppid "$guard" | tr -d ' ')
    sleep 0.05
  done
  sleep "0.$((RANDOM % 9 + 1))"
  for child in "${children[@]}"; do
    if file=$(named "$child"); then echo "rank $child uses $file, which would be left behind"; exit 1; fi
  done
  kill -9 "${children[RANDOM % ranks]}"
  code=0
  timeout 20 tail --pid=$launcher -f /dev/null || { echo "the launcher still runs 20 s after a rank was killed"; kill -9 $launcher; exit 1; }
  wait $launcher || code=$?
  [ $code = 137 ] || { echo "exit code $code instead of 137"; exit 1; }
  for child in "${children[@]}"; do
    if kill -0 "$child" 2>/dev/null; then echo "rank $child still runs"; exit 1; fi
  done
done
echo "$times kills: all ended, nothing left"
