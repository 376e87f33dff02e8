#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# hosts_test.sh MPI QUADRILLE: ranks on two hosts, 2 and 1 of them, meet by shared memory inside a host and by messages between, with checked
# data. Skips, with the reason, where there can be no hosts.
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
