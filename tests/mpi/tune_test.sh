#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A session of tune that races only one executor must keep the stored results of the other. Usage: tune_test.sh MPIRUN QUADRILLE
set -euo pipefail
mpirun=$1 quadrille=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export QUADRILLE_WISDOM=$folder/kept.wisdom

tune() { "$mpirun" -n 2 "$quadrille" tune barrier --cell 0.02 --ways 2 --json "$@"; }
executors() { grep median_us "$QUADRILLE_WISDOM" | grep -v '"vendor"' | grep -o 'executor":"[a-z]*' | cut -d '"' -f 3 | sort -u | tr '\n' ' '; }
expect() { [[ $2 == "$3" ]] || { echo "$1: '$2' is not '$3'"; cat "$QUADRILLE_WISDOM"; exit 1; }; }
state() { grep -o '"state": *"[a-z_]*"' | cut -d '"' -f 4; }

tune --executor mpi >"$folder/only"
expect 'one executor raced' "$(executors)" 'mpi '
expect 'the other is not known' "$(tune | state)" 'measured'
expect 'both raced' "$(executors)" 'mpi shared '
tune --executor mpi --again >"$folder/again"
expect 'the other is kept' "$(executors)" 'mpi shared '
# What was raced beside other programs does not count once there is a race on the quiet machine.
grep -o '"others":[0-9.]*' "$QUADRILLE_WISDOM" | grep -qv ':0.0$' || expect 'both are known' "$(tune | state)" 'known'
