#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The MPI library reads the rules that are exported for it, and takes other algorithms by them, at the sizes and numbers of ranks that
# the rules are for. Usage: vendor_rules_test.sh openmpi|mpich MPIRUN VENDOR_RULES
set -euo pipefail
mpi=$1 mpirun=$2 program=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $mpi in
openmpi) bruck=modified_bruck direct=pairwise options=() ;;
mpich) bruck=brucks direct=scattered options=(-genv MPIR_CVAR_NOLOCAL 1) ;;  # all messages by UCX, where the program sees them
esac

# look RANKS [RULES]: which algorithm the ranks take.
look() {
  local environment=()
  if [ $# = 2 ] && [ "$mpi" = openmpi ]; then
    environment=(OMPI_MCA_coll_tuned_use_dynamic_rules=1 "OMPI_MCA_coll_tuned_dynamic_rules_filename=$2")
  elif [ $# = 2 ]; then
    environment=("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$2")
  fi
  env ${environment[@]+"${environment[@]}"} "$mpirun" ${options[@]+"${options[@]}"} -n "$1" "$program"
}
expect() {  # WHAT EXPECTED FOUND
  echo "$1: $3"
  [[ $3 == *"$2"* ]] || { echo "expected: $2"; exit 1; }
}

standard=$(look 5)
case $standard in *unseen*) echo "skipped: this MPI's messages cannot be seen: $standard"; exit 0 ;; esac
large=${standard##*, }  # what the library does where there is no rule
"$program" --write "$bruck" "$folder/bruck"
"$program" --write "$direct" "$folder/direct"
expect "no rules" "64 B: " "$standard"
expect "Bruck's algorithm for 64 B" "64 B: Bruck, $large" "$(look 5 "$folder/bruck")"
expect "direct messages for 64 B" "64 B: another, $large" "$(look 5 "$folder/direct")"
expect "rules for 5 ranks, and 4 are there" "$(look 4)" "$(look 4 "$folder/bruck")"
expect "rules for 5 ranks, and 6 are there" "$(look 6)" "$(look 6 "$folder/bruck")"
