#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The drop-in against each MPI's own collectives, by turns inside one process (bench/dropin_mpi.cpp): what a call costs that is passed
# through, the ratio for each collective and size in the steady state, and 1,000 sizes in turn. Each MPI has its kindest settings
# (docs/benchmarking.md). Above 1, the drop-in is faster.
# Usage: dropin.sh [--mpi "openmpi mpich"] [--ranks "2 4 8"] [--launches N] [--tune [SECONDS]] [--csv FILE] [--control] [OPTIONS OF dropin_mpi...]
#   --launches  default 1; further ones are put together with the first
#   --tune      before, `quadrille tune` for so many seconds (default 60) for each MPI and number of ranks, into wisdom of this benchmark's own;
#               without it the wisdom that is there (quadrille wisdom path)
#   --csv       the cells as a table for other programs; all rounds are kept in build/bench/dropin/*.json
#   --control   without the drop-in: what the method says of two equal things
#   Options of dropin_mpi: --part cells|sizes|pass, --only COLLECTIVE[/PATTERN], --rounds N, --most BYTES
# Needs jq, the MPIs and a release build with QUADRILLE_BENCH=ON; let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
all_ranks="2 4 8" libraries='' launches=1 tune='' csv='' part='' control='' options=()
while [ $# -gt 0 ]; do
  case $1 in
    --mpi) libraries=$2; shift 2 ;;
    --ranks) all_ranks=$2; shift 2 ;;
    --launches) launches=$2; shift 2 ;;
    --csv) csv=$2; shift 2 ;;
    --control) control=1; options+=(--control); shift ;;
    --part) part=$2; shift 2 ;;
    --only | --rounds | --most) options+=("$1" "$2"); shift 2 ;;
    --tune) if [[ ${2:-} =~ ^[0-9]+$ ]]; then tune=$2; shift 2; else tune=60; shift; fi ;;
    --help) sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0"; exit 0 ;;
    *) fail "There is no option $1; see bench/dropin.sh --help" ;;
  esac
done
[[ $part =~ ^(|cells|sizes|pass)$ ]] || fail "There is no part $part; parts are cells, sizes and pass"
build=$PWD/build/release quadrille=$PWD/build/release/bin/quadrille folder=$PWD/build/bench/dropin
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
find_mpis
[ -z "$libraries" ] || read -ra mpis <<<"$libraries"
for mpi in "${mpis[@]}"; do
  [ -x "$build/bench/dropin_mpi_$mpi" ] || fail "No $build/bench/dropin_mpi_$mpi: build the preset release with QUADRILLE_BENCH=ON first"
done
mkdir -p "$folder/report"
rm -f "$folder"/*.json
own_control_group
trap leave_control_group EXIT

bench() {  # bench MPI RANKS FILE OPTIONS...
  local mpi=$1 ranks=$2 file=$3 wrap=("$quadrille" wrap)
  shift 3
  [ -z "$control" ] || wrap=()
  run_mpi "$mpi" "$ranks" "${wrap[@]}" "$build/bench/dropin_mpi_$mpi" ${options[@]+"${options[@]}"} --json "$folder/$file.json" "$@" >&2
}

if [ -n "$tune" ]; then
  export QUADRILLE_WISDOM=$folder/wisdom
  for mpi in "${mpis[@]}"; do
    for ranks in $all_ranks; do
      talk "Tuning with $mpi, $ranks ranks"
      run_mpi "$mpi" "$ranks" "$quadrille" tune alltoall allgather allreduce broadcast --time "${tune}s" >/dev/null
    done
  done
fi

# Everything is the MPI library's: as the user says it (the drop-in counts and reports it), and switched off.
if [ -z "$part" ] || [ "$part" = pass ]; then
  for mpi in "${mpis[@]}"; do
    for ranks in 1 2; do
      QUADRILLE_REPORT=summary:$folder/report/report.txt QUADRILLE_CHOOSE=allreduce=vendor bench "$mpi" "$ranks" pass --part pass --label reported
      QUADRILLE=off bench "$mpi" "$ranks" pass --part pass --label off
    done
  done
fi
for each in cells sizes; do
  [ -z "$part" ] || [ "$part" = "$each" ] || continue
  for mpi in "${mpis[@]}"; do
    for ranks in $all_ranks; do
      for ((launch = 0; launch < launches; ++launch)); do bench "$mpi" "$ranks" "$each" --part "$each"; done
    done
  done
done
for form in pass cells below sizes; do
  table=$(cat "$folder"/*.json | jq -s -r --arg form $form -L bench -f bench/dropin.jq | column -t -s "$(printf '\t')")
  [ -z "$table" ] || printf '%s\n\n' "$table"
done
[ -z "$csv" ] || cat "$folder"/*.json | jq -s -r --arg form csv -L bench -f bench/dropin.jq >"$csv"
