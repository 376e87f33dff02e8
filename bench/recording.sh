#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What recording costs and what its computing times are worth (docs/recording.md). Usage: recording.sh [--mpi "openmpi mpich"]
# [--computing | --bytes | --time]; without these, all three.
#   --computing  a fixed amount of work among 1 to 32 ranks on two cores: the sum of all ranks' computing as recorded, and beside it
#                the sum of the gaps in wall time
#   --bytes      a million calls of each of two ranks: bytes a call, also folded; all calls of 64 such ranks
#   --time       ns that a call takes longer: bench/dropin.sh --part pass
# Needs jq, the MPIs and a release build with QUADRILLE_BENCH=ON; let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
libraries='' parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --mpi) libraries=$2; shift 2 ;;
    --computing | --bytes | --time) parts+=("${1#--}"); shift ;;
    --help) sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0"; exit 0 ;;
    *) fail "There is no option $1; see bench/recording.sh --help" ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=(computing bytes time)
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
find_mpis
[ -z "$libraries" ] || read -ra mpis <<<"$libraries"
quadrille=$PWD/build/release/bin/quadrille work=$PWD/build/bench/recording
mkdir -p "$work"
own_control_group
trap leave_control_group EXIT

record() {  # record MPI RANKS OPTIONS... -- PROGRAM...: the recording is $work/run
  local mpi=$1 ranks=$2 options=()
  shift 2
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  rm -rf "$work/run"
  run_mpi "$mpi" "$ranks" taskset -c 0,1 "$quadrille" wrap --record="$work/run" ${options[@]+"${options[@]}"} "$@" >"$work/said" 2>"$work/log" ||
    { cat "$work/log" >&2; fail "$* does not run"; }
}
sums() { "$quadrille" recording "$work/run" --json | jq -r "$1"; }

computing() {  # computing MPI
  "mpicc.$1" -O2 -o "$work/shared_work" bench/programs/shared_work.c
  printf '| ranks | sum of computing / s | sum of gaps in wall time / s | time of the loop / s |\n| --- | --- | --- | --- |\n'
  local ranks
  for ranks in 1 2 4 8 32; do
    [ "$1" = openmpi ] || [ "$ranks" -le 8 ] || continue  # MPICH takes too long with many ranks on a core
    record "$1" "$ranks" -- "$work/shared_work" 1000 2000
    printf '| %s | %.2f | %.2f | %.2f |\n' "$ranks" "$(sums '[.ranks[].times[].gap_s] | add')" \
      "$(sums '[.ranks[].times[] | .gap_s + .away_s] | add')" "$(awk '$1 == "seconds" {print $2}' "$work/said")"
  done
}

bytes() {  # bytes MPI
  local kind calls size
  "mpicc.$1" -O2 -o "$work/kernels" bench/programs/kernels.c
  printf '| recorded | bytes a call | 64 ranks of a million calls |\n| --- | --- | --- |\n'
  for kind in all folded; do
    record "$1" 2 $([ $kind = all ] || echo --fold) -- "$work/kernels" gradients 64 333000
    calls=$(sums '[.ranks[].times[].calls] | add')
    size=$(cat "$work"/run/rank-*.recording | wc -c)
    awk -v kind="$kind" -v size="$size" -v calls="$calls" \
      'BEGIN { printf "| %s | %.3f | %.1f MB |\n", kind == "all" ? "every call" : "means of 64 repetitions", size / calls, 64 * size / calls }'
  done
}

time_of_calls() { bench/dropin.sh --mpi "$1" --part pass; }

for mpi in "${mpis[@]}"; do
  for part in "${parts[@]}"; do
    printf '%s, %s\n\n' "$mpi" "$part"
    case $part in time) time_of_calls "$mpi" ;; *) "$part" "$mpi" ;; esac
    echo
  done
done
