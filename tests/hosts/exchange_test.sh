#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# exchange_test.sh MPI EXCHANGE_MPI: random exchanges (tests/mpi/exchange_mpi.cpp) on three hosts with 1, 2 and 3 ranks, and with ranks
# dealt out to the hosts in turn. Then a rank is killed on each host in turn: the program must end.
set -euo pipefail
source "$(dirname "$0")/begin.sh"
mpi=$1 exchange=$2
begin_hosts 3
exchanges() {  # exchanges [--cyclic] SLOTS
  timeout 200 "$here/run.sh" "${@:1:$#-1}" "$mpi" "${@: -1}" "$exchange" "$calls"
}
calls=15
[ "${QUADRILLE_LONG:-0}" != 1 ] || calls=2000
exchanges 1,2,3
exchanges --cyclic 2,2,2
for host in 1 2 3; do
  timeout 60 "$here/run.sh" "$mpi" 2,2,2 "$exchange" 1000000 >/dev/null 2>&1 &
  program=$!
  victim=''
  for ((i = 0; i < 200; ++i)); do
    sleep 0.1
    victim=$("$here/enter.sh" "node$host" "pgrep -o -f '^$exchange'" || true)
    [ -n "$victim" ] || continue
    break
  done
  sleep 1
  "$here/enter.sh" "node$host" "pkill -9 -n -f '^$exchange'"
  code=0
  wait "$program" || code=$?
  [ "$code" != 0 ] && [ "$code" != 124 ] || { echo "a rank was killed on host $host, and the program ends with $code"; exit 1; }
done
echo good
