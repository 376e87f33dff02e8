#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# random_test.sh MPIRUN LIBRARY OURS PROGRAM: random programs get what they have to, without LIBRARY and with it, ours from the second call
# on; and with it, ours runs calls of each collective of OURS (names separated by commas). LD_PRELOAD may name more libraries.
set -u
mpirun=$1 library=$2 ours=$3 program=$4
others=${LD_PRELOAD:-}
unset LD_PRELOAD
for ranks in 3 4; do
  options=(--seed ${ranks}00 --programs 60 --limit 20)
  without=$(timeout 60 "$mpirun" -n $ranks "${0%/*}/preloading.sh" "$others" "$program" "${options[@]}" 2>&1) ||
    { echo "$without"; echo "$ranks ranks: wrong without the drop-in, so the MPI library's fault or the test's"; exit 1; }
  with=$(QUADRILLE_ADMIT=anywhere timeout 60 "$mpirun" -n $ranks "${0%/*}/preloading.sh" "$library${others:+:$others}" "$program" "${options[@]}" --ours "$ours" 2>&1) ||
    { echo "$with"; echo "$ranks ranks: wrong with the drop-in, right without"; exit 1; }
  echo "$with"
  if grep -q '^quadrille: ' <<<"$with"; then echo "$ranks ranks: the drop-in has remarks"; exit 1; fi
done
