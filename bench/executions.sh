#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that an execution is as fast as in an older build. Runs bench/executions.cpp alternately with the libraries of two
# installed builds. Prints for 8 B a block the time of each build (the median of its processes) and the ratio new/old: the median
# of the pairs, and the interval that holds it with a probability of at least 95 % (order statistics of the pairs).
# Usage: executions.sh OLD_PREFIX NEW_PREFIX [--pairs N] [--time SECONDS] [--ranks "2 16"] [--block BYTES]
#   default: 40 pairs, 0.3 s a process. A prefix is the folder of a `cmake --install`. Let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
pairs=40 time=0.3 all_ranks="2 16" block=8 prefixes=()
while [ $# -gt 0 ]; do
  case $1 in
    --pairs) pairs=$2; shift 2 ;;
    --time) time=$2; shift 2 ;;
    --ranks) all_ranks=$2; shift 2 ;;
    --block) block=$2; shift 2 ;;
    --*) fail "There is no option $1; see the head of bench/executions.sh" ;;
    *) prefixes+=("$1"); shift ;;
  esac
done
[ ${#prefixes[@]} -eq 2 ] || fail "Give two prefixes, of the old and of the new build"
[ "$pairs" -ge 6 ] || fail "An interval needs 6 pairs or more"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for i in 0 1; do
  library=$(find "${prefixes[i]}"/lib* -maxdepth 1 -name libquadrille.so -print -quit)
  [ -n "$library" ] || fail "There is no libquadrille.so in ${prefixes[i]}: install a build there"
  "${CXX:-g++}" -std=c++20 -O2 -I"${prefixes[i]}/include" bench/executions.cpp "$library" \
    -Wl,-rpath,"$(cd "$(dirname "$library")" && pwd)" -o "$folder/executions$i"
done
for ranks in $all_ranks; do
  for ((pair = 0; pair < pairs; ++pair)); do
    first=$((pair % 2))  # each build goes first in half of the pairs
    one=$("$folder/executions$first" "$ranks" "$block" "$time")
    other=$("$folder/executions$((1 - first))" "$ranks" "$block" "$time")
    if [ $first -eq 0 ]; then echo "$one $other"; else echo "$other $one"; fi
  done | awk -v ranks="$ranks" -v block="$block" '
    function sort(list, n,   i, j, x) {
      for (i = 2; i <= n; ++i) { x = list[i]; for (j = i - 1; j > 0 && list[j] > x; --j) list[j + 1] = list[j]; list[j + 1] = x }
    }
    function median(list, n) { return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2 }
    { ++n; old[n] = $1; new[n] = $2; ratio[n] = $2 / $1 }
    END {
      sort(old, n); sort(new, n); sort(ratio, n)
      # The largest k for which fewer than k of n tosses of a coin fall on one side with a probability of at most 2.5 %.
      for (p = tail = 0.5 ^ n; tail <= 0.025 && k < n / 2; tail += p) { ++k; p *= (n - k + 1) / k }
      printf "%2d ranks, %d B: old %.0f ns, new %.0f ns; new/old %.3f [%.3f, %.3f], %d pairs\n", ranks, block, median(old, n), median(new, n),
             median(ratio, n), ratio[k], ratio[n - k + 1], n
    }'
done
