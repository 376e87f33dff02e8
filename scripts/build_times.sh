#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints how long the steps of a build took, from ninja's log: seconds by target, seconds by target and folder, and the dearest steps.
# Steps that were not run again count with their last time. A step's time is that of the wall clock; it is the processor's while no
# more steps run than there are cores.
#
# Usage: scripts/build_times.sh [BUILD_FOLDER]   (default: build/release)
set -euo pipefail
cd "$(dirname "$0")/.."
log=${1:-build/release}/.ninja_log
[ -r "$log" ] || { printf 'There is no %s: build first, by ninja.\n' "$log" >&2; exit 2; }

# Seconds, target, folder, step. Sources of a folder that are compiled together have a name such as unity_src_verify_0_cxx.cxx.
steps=$(awk -F '\t' '
  NR > 1 { seconds[$4] = ($2 - $1) / 1000 }
  END {
    for (step in seconds) {
      if (step !~ /\.(o|gch)$/) { target = "linking and others"; folder = "-" }
      else {
        target = step; sub(/\.dir\/.*/, "", target); sub(/.*\//, "", target)
        folder = step; sub(/.*\.dir\//, "", folder)
        if (sub(/^Unity\/unity_/, "", folder)) sub(/_[0-9]+_cxx\.cxx\.o$/, "", folder)
        else sub(/\/?[^\/]*$/, "", folder)
        if (step ~ /cmake_pch/) folder = "precompiled headers"
      }
      printf "%.2f\t%s\t%s\t%s\n", seconds[step], target, folder == "" ? "." : folder, step
    }
  }' "$log")

by() {  # by TITLE FIELDS: sums by these fields of a step
  printf '%9s %6s  %s\n' seconds steps "$1"
  awk -F '\t' -v fields="$2" '
    { key = fields == 2 ? $2 : $2 "  " $3; sum[key] += $1; ++count[key]; all += $1 }
    END { for (key in sum) printf "%9.1f %6d  %s\n", sum[key], count[key], key; printf "%9.1f %6d  %s\n", all, NR, "(all)" }' <<<"$steps" | sort -rn
  echo
}
by target 2
by 'target  folder' 3
printf '%9s  %s\n' seconds 'dearest steps'
sort -rn <<<"$steps" | head -n 20 | awk -F '\t' '{ printf "%9.1f  %s\n", $1, $4 }'
