#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# hosts_test.sh MPI QUADRILLE: races on two hosts with 2 ranks and 1 rank, which use shared memory within a host and messages
# between the hosts. Data is checked. The test is skipped, with the reason, if hosts cannot be simulated here.
set -euo pipefail
source "$(dirname "$0")/begin.sh"
mpi=$1 quadrille=$2
begin_hosts 2
race=$(timeout 100 "$here/run.sh" "$mpi" 2,1 "$quadrille" race alltoall --block 8B,5000B --algorithm clustered --algorithm combined --algorithm bruck \
  --keep-step --repetitions 2 --time 0.2s)
echo "$race"
for words in 'clustered.*, in step  *hybrid' 'combined.*hybrid' 'bruck.*mpi'; do
  grep -q "$words" <<<"$race" || { echo "no line '$words'"; exit 1; }
done
