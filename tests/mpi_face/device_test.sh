#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# device_test.sh QUADRILLE MPIRUN DEVICE RUNTIME: the drop-in reads no buffer of a program that has loaded a GPU's runtime. RUNTIME is
# an empty library with the name of such a runtime.
set -u
quadrille=$1 mpirun=$2 device=$3 runtime=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; cat "$work/said"; exit 1; }
run() { QUADRILLE_ADMIT=1 timeout 60 "$mpirun" -n 2 "$@" </dev/null >"$work/said" 2>&1 || wrong "exit code of $*"; }

run "$quadrille" wrap --report "$device" "$runtime"
grep -q '^200 of 200 calls' "$work/said" || wrong 'some buffers of a GPU did not come to the MPI library'
grep -q "buffers may lie in a GPU's memory" "$work/said" || wrong 'the report gives another reason'

# The same calls are ours if the program says that it passes no such memory.
run env QUADRILLE_GPU_MEMORY=off LD_PRELOAD="$runtime${LD_PRELOAD:+:$LD_PRELOAD}" "$quadrille" wrap "$device"
grep -qE '^[0-9]{1,2} of 200 calls' "$work/said" || wrong 'the calls that test are not ours otherwise'
echo good
