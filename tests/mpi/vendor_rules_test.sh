#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The MPI library must read the rules that we export for it and therefore use other algorithms, at the sizes and numbers of ranks that
# the rules are for. Usage: vendor_rules_test.sh openmpi|mpich MPIRUN VENDOR_RULES
set -euo pipefail
mpi=$1 mpirun=$2 program=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $mpi in
openmpi) bruck=modified_bruck direct=pairwise options=() ;;
mpich) bruck=brucks direct=scattered options=(-genv MPIR_CVAR_NOLOCAL 1) ;;  # all messages go by UCX, where the program can observe them
esac

look() { env "$@" "$mpirun" ${options[@]+"${options[@]}"} -n 6 "$program"; }

standard=$(look)
printf 'no rules:\n%s\n' "$standard"
case $standard in *unseen*) echo "skipped: the messages of this MPI cannot be seen"; exit 0 ;; esac
before=$(sed -n 's/^5 ranks: 64 B \([a-z A-Z]*\),.*/\1/p' <<<"$standard")
case $before in  # the rule must ask for an algorithm that the library would not choose by itself
another) algorithm=$bruck after=Bruck ;;
Bruck) algorithm=$direct after=another ;;
*) echo "not understood: '$before'"; exit 1 ;;
esac
"$program" --write "$algorithm" "$folder/rules"
case $mpi in
openmpi) use=(OMPI_MCA_coll_tuned_use_dynamic_rules=1 "OMPI_MCA_coll_tuned_dynamic_rules_filename=$folder/rules") ;;
mpich) use=("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$folder/rules") ;;
esac
found=$(look "${use[@]}")
printf 'a rule for 5 ranks and 64 B:\n%s\n' "$found"
[ "$found" = "${standard/5 ranks: 64 B $before/5 ranks: 64 B $after}" ] || { echo "the rule must change that one line, to $after"; exit 1; }
