#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# own_test.sh MPI C_OVER QUADRILLE EXAMPLES: what programs bring along, on two hosts with 2 ranks and 1 rank: the tests of the C interface
# (tests/c_interface), and schedules that a command prints, which only rank 0 runs, once for each size.
set -euo pipefail
source "$(dirname "$0")/begin.sh"
mpi=$1 c_over=$2 quadrille=$3 examples=$4
begin_hosts 2
timeout 100 "$here/run.sh" "$mpi" 2,1 "$c_over"

race=$(timeout 100 "$here/run.sh" "$mpi" 2,1 "$quadrille" race alltoall --block 8B,1KiB --repetitions 2 --time 0.2s --algorithm direct --json \
  --generator "sh -c 'echo \$1 \$2 >>$work/log; exec python3 $examples/both_sides.py \$1 \$2' sh {ranks} {block}")
[ "$(grep -c '"checked": true' <<<"$race")" -ge 4 ] || { printf '%s\n' "$race" "the data of a candidate was not checked"; exit 1; }
[ "$(cat "$work/log")" = $'3 8\n3 1024' ] || { cat "$work/log"; echo "the command was not run once for each size"; exit 1; }
