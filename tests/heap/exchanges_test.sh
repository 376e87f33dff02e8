#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# exchanges_test.sh QUADRILLE MPIRUN EXCHANGES [SECONDS]: collectives of ranks whose buffers are in the heap, under `quadrille wrap
# --heap`; also if a rank is stopped for a while or killed during a call. With SECONDS, runs only mixed work for so long.
set -u
quadrille=$1 mpirun=$2 exchanges=$3
work=$(mktemp -d)
trap 'rm -rf "$work"; [ -z "${launcher:-}" ] || kill "$launcher" 2>/dev/null' EXIT
wrong() { echo "wrong: $*"; cat "$work/said"; exit 1; }
launch() { timeout -k 5 $((100 + ${seconds:-0})) "$mpirun" -n 3 "$quadrille" wrap "$@" "$exchanges" $seconds "$work" </dev/null >"$work/said" 2>&1; }

seconds=''
export QUADRILLE_ADMIT=1  # Quadrille runs calls from the second one on
if [ $# = 4 ]; then
  seconds=$4
  launch --heap && grep -q 'good, 9[0-9] of 100\|good, 100 of' "$work/said" || wrong 'mixed work'
  cat "$work/said"
  exit
fi
launch --heap && grep -q 'good, 9[0-9] of 100\|good, 100 of' "$work/said" || wrong 'with the heap'
QUADRILLE_HEAP=off launch --heap && grep -q 'good, 0 of 100' "$work/said" || wrong 'without the heap'
[ "$(grep -c -- '--heap is off' "$work/said")" = 1 ] || wrong 'that it is off is said once'

# Over UCX, whose memory hooks see what the heap gives back.
if "$mpirun" --version 2>&1 | grep -q 'Open MPI' && ompi_info 2>/dev/null | grep -q 'pml: ucx'; then
  seconds=2
  OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any UCX_TLS=self,sm,tcp launch --heap &&
    grep -q 'good, 9[0-9] of 100\|good, 100 of' "$work/said" || wrong 'over UCX'
fi

begin() {  # begin SECONDS: starts a run; sets `launcher`, and `all`, the processes of the ranks
  seconds=$1
  : >"$work/said"  # of the launch before
  launch --heap --no-watch &
  launcher=$!
  for ((i = 0; i < 200; ++i)); do
    grep -q begun "$work/said" && break
    sleep 0.1
  done
  mapfile -t all < <(pgrep -f "^$exchanges .*$work")
  [ ${#all[@]} -ge 3 ] || wrong "the ranks do not run: ${all[*]}"
}
begin 4
for ((round = 0; round < 5; ++round)); do
  kill -STOP "${all[round % 3]}"
  sleep 0.2
  kill -CONT "${all[round % 3]}"
done
wait $launcher && grep -q good "$work/said" || wrong 'after a stop'

begin 60
sleep 0.5
kill -9 "${all[1]}"
wait $launcher && wrong 'good after a rank was killed'
for one in "${all[@]}"; do
  for ((i = 0; i < 100; ++i)); do
    kill -0 "$one" 2>/dev/null || break
    sleep 0.1
  done
  kill -0 "$one" 2>/dev/null && wrong "rank $one still runs"
done
echo good
