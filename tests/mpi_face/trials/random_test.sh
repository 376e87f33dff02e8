#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# random_test.sh MPIRUN LIBRARY OURS PROGRAM: random programs get the right results without LIBRARY and with it, when Quadrille runs
# calls from the second one on. With LIBRARY, Quadrille runs calls of each collective in OURS (names separated by commas).
# LD_PRELOAD may name more libraries.
set -u
mpirun=$1 library=$2 ours=$3 program=$4
others=${LD_PRELOAD:-}
unset LD_PRELOAD
try() {  # try RANKS LIBRARIES OPTIONS...: sets `said`
  local ranks=$1 libraries=$2
  shift 2
  said=$(timeout 60 "$mpirun" -n "$ranks" "${0%/*}/preloading.sh" "$libraries" "$program" --limit 20 "$@" 2>&1) ||
    { echo "$said"; echo "$ranks ranks: wrong with LD_PRELOAD=$libraries; without the drop-in it is the MPI library's fault or the test's"; exit 1; }
  echo "$said"
  if grep -q '^quadrille: ' <<<"$said"; then echo "$ranks ranks: the drop-in has remarks"; exit 1; fi
}
with=$library${others:+:$others}
for ranks in 3 4; do
  options=(--seed ${ranks}00 --programs 60)
  try $ranks "$others" "${options[@]}"
  QUADRILLE_ADMIT=anywhere try $ranks "$with" "${options[@]}" --ours "$ours"
done
# Here Quadrille runs calls only where they synchronise, as for users. These programs end with an alltoallv whose census is still
# pending.
QUADRILLE_ADMIT=1 try 2 "$with" --seed 27080 --programs 20
