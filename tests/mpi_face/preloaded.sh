#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# preloaded.sh LIBRARY SYMBOL MPIRUN COMMAND...: checks that the program prints "all as expected" on 1 to 4 ranks without LIBRARY
# preloaded, with it, and with Quadrille running calls from the second one on. Also checks that SYMBOL comes from LIBRARY.
set -u
library=$1 symbol=$2 mpirun=$3
shift 3
others=${LD_PRELOAD:-}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
wrong() { echo "wrong: $*"; grep -v binding "$said" | tail -n 20; exit 1; }
for ranks in 1 3 4; do
  for run in without with at_once; do
    case $ranks$run in 1without | 1at_once | 3with | 4without) continue ;; esac  # combinations that would test little more
    preload=$library admit=0
    [ $run != without ] || preload=
    [ $run != at_once ] || admit=1
    LD_PRELOAD=$preload${others:+:$others} QUADRILLE_ADMIT=$admit timeout 60 "$mpirun" -n $ranks "$@" >"$said" 2>&1 || wrong "exit code, $ranks ranks, $run"
    grep -q 'all as expected' "$said" || wrong "$ranks ranks, $run"
  done
done
LD_PRELOAD=$library${others:+:$others} timeout 60 "$mpirun" -n 1 env LD_DEBUG=bindings LD_BIND_NOW= "$@" >"$said" 2>&1
grep -Eq "to [^ ]*quadrille-preload[^ ]* .*\`$symbol'" "$said" || wrong "$symbol is not the library's"
echo good
