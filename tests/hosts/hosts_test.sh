#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# hosts_test.sh MPI QUADRILLE: races on two hosts with 2 ranks and 1 rank, which use shared memory within a host and messages
# between the hosts. Data is checked. The test is skipped, with the reason, if hosts cannot be simulated here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) mpi=$1 quadrille=$2
skip() { echo "skipped: $*"; exit 0; }
reason=$("$here/hosts.sh" can) || skip "$reason"
[ "$("$here/hosts.sh" status)" = "no hosts" ] || skip "there are hosts already, somebody else's"
"$here/hosts.sh" up 2
trap '"$here/hosts.sh" down' EXIT
race=$(timeout 100 "$here/run.sh" "$mpi" 2,1 "$quadrille" race alltoall --block 8B,5000B --algorithm clustered --algorithm combined --algorithm bruck \
  --keep-step --repetitions 2 --time 0.2s)
echo "$race"
for words in 'clustered.*, in step  *hybrid' 'combined.*hybrid' 'bruck.*mpi'; do
  grep -q "$words" <<<"$race" || { echo "no line '$words'"; exit 1; }
done
