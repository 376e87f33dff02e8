#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares one-shot typed calls with each MPI's blocking collectives, alternating in one process (bench/calls_mpi.cpp). Prints a
# table of the ratios of times, MPI library / ours: above 1, ours is faster; `~` means that the interval contains 1. Of several
# launches it prints the worst ratio of each cell and, in parentheses, the median. Takes about five minutes a launch.
# Usage: calls.sh [--mpi "openmpi mpich"] [--ranks "2 4 8"] [--launches N] [--continue] [--heap] [--lines FILE]
#        [OPTIONS OF calls_mpi...]
#   --launches  10 unless it is given
#   --continue  keeps what an interrupted run has measured (build/bench/calls)
#   --heap      with the heap that shares the buffers of both sides (quadrille wrap --heap)
#   --lines     the file for the full output of calls_mpi, with times and intervals
#   Options of calls_mpi: --repetitions N, --least BYTES, --most BYTES, --memory BYTES, --only COLLECTIVE
#   A size is that of a block, or of the vector of a collective without blocks: 8 B to 4 MiB. Sizes are left out if the buffers of
#   all ranks together take more than --memory (512 MiB, which 8 ranks need for an alltoall of 4 MiB).
# Needs the MPIs and a release build with QUADRILLE_BENCH=ON; nothing else may run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/ratios.sh
program=calls_mpi all_ranks="2 4 8" launches=10 continues=''
more_options() {
  case $1 in
    --launches) launches=$2 taken=2 ;;
    --continue) continues=1 taken=1 ;;
    --heap) preloaded=$PWD/build/release/lib/libquadrille-heap.so taken=1 ;;
  esac
}
read_words "$@"
kept=build/bench/calls
[ -n "$continues" ] || rm -rf "$kept"
mkdir -p "$kept"
begin_ratios
for ((launch = 1; launch <= launches; ++launch)); do
  [ "$launches" = 1 ] || talk "Launch $launch of $launches"
  measure
done
if [ "$launches" = 1 ]; then
  table collective 1 "$ratio"
else
  table collective 1 "$worst_launch"
fi
