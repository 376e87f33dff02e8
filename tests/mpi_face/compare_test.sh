#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# compare_test.sh QUADRILLE MPI MPIRUN SEVERAL: `quadrille compare` must name first the collective whose algorithm was made slow by the
# library's own settings, and these settings. Two cases of each library; with QUADRILLE_LONG=1 all.
set -u
quadrille=$1 mpi=$2 mpirun=$3 several=$4 tries=6  # other programs on the machine may hide what was made slow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The cases: bytes, repetitions, the function that is made slow, and the settings that make it slow.
tuned() { echo "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_$1_algorithm=$2 OMPI_MCA_coll_tuned_$1_algorithm_segmentsize=${3:-0}"; }
cases_openmpi() {  # chains and trees with short segments, and algorithms for messages of other lengths
  echo "32768 40 Bcast $(tuned bcast 3 64)"
  echo "32768 40 Allreduce $(tuned allreduce 5 64)"
  [ "${QUADRILLE_LONG:-0}" = 1 ] || return
  local algorithm
  for algorithm in 2 4 5 6; do echo "32768 40 Bcast $(tuned bcast $algorithm 64)"; done
  for algorithm in 2 3 4 5; do echo "32768 40 Reduce $(tuned reduce $algorithm 64)"; done
  echo "8192 100 Bcast $(tuned bcast 3 16)"
  echo "8192 100 Reduce $(tuned reduce 3 16)"
  echo "32768 40 Alltoall $(tuned alltoall 3)"
}
forced() { echo "MPIR_CVAR_$1_DEVICE_COLLECTIVE=0 MPIR_CVAR_$1_INTRA_ALGORITHM=nb MPIR_CVAR_I$1_INTRA_ALGORITHM=$2 MPIR_CVAR_I$1_$3_CHUNK_SIZE=64"; }
cases_mpich() {  # nonblocking algorithms with short segments, and one for short blocks
  echo "32768 20 Bcast $(forced BCAST tsp_ring RING)"
  echo "32768 20 Reduce $(forced REDUCE tsp_ring RING)"
  [ "${QUADRILLE_LONG:-0}" = 1 ] || return
  echo "32768 40 Bcast $(forced BCAST tsp_tree TREE_PIPELINE)"
  echo "32768 40 Reduce $(forced REDUCE tsp_tree TREE_PIPELINE)"
  echo "32768 40 Allreduce $(forced ALLREDUCE tsp_tree TREE_PIPELINE)"
  echo "8192 100 Bcast $(forced BCAST tsp_ring RING)"
  echo "8192 100 Reduce $(forced REDUCE tsp_ring RING)"
  echo "8192 100 Allreduce $(forced ALLREDUCE tsp_tree TREE_PIPELINE)"
  echo "32768 40 Alltoall MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=brucks"
}

record() {  # record FOLDER BYTES REPETITIONS SETTINGS..
  local folder=$1 bytes=$2 repetitions=$3
  shift 3
  rm -rf "${work:?}/$folder"
  env "$@" timeout -k 5 60 "$mpirun" -n 8 "$quadrille" wrap --record="$work/$folder" "$several" "$repetitions" "$bytes" \
    >"$work/said" 2>&1 </dev/null
}

is_named() {  # is_named FUNCTION SETTINGS..: does the comparison name the function first, and the setting of its algorithm?
  local function=$1
  "$quadrille" compare "$work/plain" "$work/slow" >"$work/said" 2>&1 || return 1
  tr -s ' \n' ' ' <"$work/said" >"$work/line"
  shift
  grep -qE "most (of it in|changed) $function[ ,]" "$work/line" && grep -qF 'In B, unset ' "$work/line" &&
    grep -qF "$(grep -oiE "[^ ]*_${function//_block/}[^ ]*_algorithm=[^ ]*" <<<"$*" | head -n 1)" "$work/line"
}

count=0
while read -r bytes repetitions function settings; do
  for ((try = 1; ; ++try)); do
    # shellcheck disable=SC2086
    record plain "$bytes" "$repetitions" && record slow "$bytes" "$repetitions" $settings && is_named "$function" $settings && break
    [ $try -lt $tries ] || { echo "not named: $function of $bytes B, made slow by $settings"; head -n 40 "$work/said"; exit 1; }
  done
  echo "$function of $bytes B, try $try: $(grep -oE '(takes [0-9.]+ \([0-9.]+\.\.[0-9.]+\) times)' "$work/line" | head -n 1)"
  count=$((count + 1))
done < <("cases_$mpi")
echo "good: $count cases"
