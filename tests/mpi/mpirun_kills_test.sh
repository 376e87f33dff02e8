#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Kills a rank of a soak test that mpirun has started: mpirun must end the others, and none of them may keep waiting in our calls.
# About one in ten times mpirun of MPICH 4.2.1 exits with 0 after that, with any MPI program, so the exit code has three attempts.
# Usage: mpirun_kills_test.sh MPIRUN SOAK [ATTEMPTS]
set -euo pipefail
mpirun=$1 soak=$2 attempts=${3:-3} ranks=3
"$mpirun" -n $ranks "$soak" 100000000 >/dev/null 2>&1 &
launcher=$!
processes=()
for ((i = 0; i < 400 && ${#processes[@]} < ranks; ++i)); do  # collects the launcher's descendants that run the soak test
  sleep 0.05
  parents=$launcher
  for ((level = 0; level < 3; ++level)); do
    parents+=$(ps -o pid= --ppid "$(tr -s ' \n' ',' <<<"$parents" | sed 's/,$//')" | sed 's/^ */,/' | tr -d '\n') || true
  done
  mapfile -t processes < <(ps -o pid=,args= -p "$parents" | awk -v soak="$soak" '$2 == soak && !seen[$1]++ { print $1 }')
done
[ ${#processes[@]} = $ranks ] || { echo "mpirun has started ${#processes[@]} ranks"; kill $launcher; exit 1; }
sleep 0.3
kill -9 "${processes[1]}"
code=0
timeout 30 tail --pid=$launcher -f /dev/null || { echo "mpirun still runs 30 s after a rank was killed"; kill -9 "${processes[@]}" $launcher; exit 1; }
wait $launcher || code=$?
for ((i = 0; i < 100; ++i)); do  # mpirun may end before all ranks have ended
  left=$(ps -o pid= -p "$(IFS=, && echo "${processes[*]}")" || true)
  [ -n "$left" ] || break
  sleep 0.05
done
[ -z "$left" ] || { echo "ranks stay behind: $left"; exit 1; }
echo "exit code $code, all ranks ended"
[ $code = 0 ] || exit 0
[ "$attempts" -gt 1 ] || { echo "mpirun says that all went well"; exit 1; }
exec "$0" "$mpirun" "$soak" $((attempts - 1))
