#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# watch_test.sh MPI QUADRILLE SOURCE PROGRAM..: tests/watch/watch_test.sh on three hosts with 2 ranks each.
set -euo pipefail
source "$(dirname "$0")/begin.sh"
mpi=$1 quadrille=$2 source=$3
shift 3
begin_hosts 3
# One at a time: MPICH's ranks spin, and watchers of a node with many spinning ranks for each core answer late.
WATCH_AT_ONCE=1 "$here/../watch/watch_test.sh" "$quadrille" "$source" "$here/run.sh" "$mpi" 2,2,2 -- "$@"
