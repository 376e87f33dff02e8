#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares the drop-in with each MPI's own collectives, alternating in one process (bench/dropin_mpi.cpp). Measures the cost of a
# call that is passed through, the ratio of times for each collective and size in the steady state, and 1,000 sizes in turn. Each
# MPI has the settings that are best for it (docs/benchmarking.md). A ratio above 1 means that the drop-in is faster.
# Usage: dropin.sh [--mpi "openmpi mpich"] [--ranks "2 4 8"] [--launches N] [--tune [SECONDS]] [--csv FILE] [--control]
#        [OPTIONS OF dropin_mpi...]
#   --launches  number of launches (default 1), whose repetitions are evaluated together
#   --tune      first runs `quadrille tune` for SECONDS (default 60) for each MPI and number of ranks, with wisdom of its own;
#               without this option the benchmark uses the user's wisdom (quadrille wisdom path)
#   --csv       writes the cells as CSV to FILE; the times of all repetitions are kept in build/bench/dropin/*.json
#   --control   runs without the drop-in: compares the MPI library with itself, which shows the error of the method
#   Options of dropin_mpi: --part cells|sizes|pass, --only COLLECTIVE[/PATTERN], --repetitions N, --most BYTES
# Needs jq, the MPIs and a release build with QUADRILLE_BENCH=ON; let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/mpi_program.sh
program=dropin_mpi all_ranks="2 4 8" launches=1 tune='' csv='' part='' control=''
own_option() {
  taken=2
  case $1 in
    --launches) launches=$2 ;;
    --csv) csv=$2 ;;
    --part) part=$2 ;;
    --only | --repetitions | --most) options+=("$1" "$2") ;;
    --control) control=1; options+=(--control); taken=1 ;;
    --tune) if [[ ${2:-} =~ ^[0-9]+$ ]]; then tune=$2; else tune=60; taken=1; fi ;;
    *) fail "There is no option $1; see bench/dropin.sh --help" ;;
  esac
}
read_words "$@"
[[ $part =~ ^(|cells|sizes|pass)$ ]] || fail "There is no part $part; parts are cells, sizes and pass"
quadrille=$PWD/build/release/bin/quadrille results=$PWD/build/bench/dropin
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
begin
mkdir -p "$results/report"
rm -f "$results"/*.json

bench() {  # bench MPI RANKS FILE OPTIONS...
  local mpi=$1 ranks=$2 file=$3 wrap=("$quadrille" wrap --no-learn)
  shift 3
  [ -z "${recorded:-}" ] || wrap+=("--record=$recorded")
  [ -z "${watched:-}" ] || wrap+=(--watch)
  [ -z "$control" ] || wrap=()
  run_mpi "$mpi" "$ranks" "${wrap[@]}" "$folder/${program}_$mpi" ${options[@]+"${options[@]}"} --json "$results/$file.json" "$@" >&2
}

if [ -n "$tune" ]; then
  export QUADRILLE_WISDOM=$results/wisdom
  for mpi in "${mpis[@]}"; do
    for ranks in $all_ranks; do
      talk "Tuning with $mpi, $ranks ranks"
      run_mpi "$mpi" "$ranks" "$quadrille" tune alltoall allgather allreduce broadcast --time "${tune}s" >/dev/null
    done
  done
fi

# All calls are passed to the MPI library, for different reasons: in the first run the user chose the vendor (the drop-in still counts
# and reports the calls), in the second they are also watched, in the third they are recorded, in the last the drop-in is
# switched off.
if [ -z "$part" ] || [ "$part" = pass ]; then
  for mpi in "${mpis[@]}"; do
    for ranks in 1 2; do
      QUADRILLE_REPORT=summary:$results/report/report.txt QUADRILLE_CHOOSE=allreduce=vendor bench "$mpi" "$ranks" pass --part pass --label reported
      for part_watched in pass messages; do
        watched=1 QUADRILLE_REPORT=summary:$results/report/report.txt QUADRILLE_CHOOSE=allreduce=vendor \
          bench "$mpi" "$ranks" pass --part $part_watched --label watched
      done
      for part_recorded in pass messages; do
        recorded=$results/recording bench "$mpi" "$ranks" pass --part $part_recorded --label recorded
      done
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
  table=$(cat "$results"/*.json | jq -s -r --arg form $form -L bench -f bench/dropin.jq | column -t -s "$(printf '\t')")
  [ -z "$table" ] || printf '%s\n\n' "$table"
done
[ -z "$csv" ] || cat "$results"/*.json | jq -s -r --arg form csv -L bench -f bench/dropin.jq >"$csv"
