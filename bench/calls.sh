#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares one-shot typed calls with each MPI's blocking collectives, alternating in one process (bench/calls_mpi.cpp). Prints a
# table of the ratios of times, MPI library / ours: above 1, ours is faster; `~` means that the interval contains 1. Takes
# about two minutes.
# Usage: calls.sh [--mpi "openmpi mpich"] [--ranks "2 4 8"] [--lines FILE] [OPTIONS OF calls_mpi...]
#   --lines  the file for the full output of calls_mpi, with times and intervals
#   Options of calls_mpi: --repetitions N, --most BYTES, --only COLLECTIVE
# Needs the MPIs and a release build with QUADRILLE_BENCH=ON; nothing else may run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source bench/ratios.sh
program=calls_mpi all_ranks="2 4 8"
read_words "$@"
begin_ratios
measure
table collective 1 "$ratio"
