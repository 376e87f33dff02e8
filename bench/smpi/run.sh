#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh RANKS PLATFORM SELECTOR COMMAND..: runs an MPI program inside SMPI, a rank on each host h0, h1, .. of a platform in this
# folder. SELECTOR chooses SMPI's own collectives: ompi, mpich, mvapich2, impi.
# The settings describe the machine of machine.toml and switch off all other effects: sizes at which TCP is slower, acknowledgements
# that share links, and 0.1 ms for each test of a request, of which 10 ns are left, because a test that takes no time never ends.
set -euo pipefail
[ $# -ge 4 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }
ranks=$1 platform=$(dirname "$0")/$2.xml selector=$3
shift 3
hosts=$(mktemp) log=$(mktemp)
trap 'rm -f "$hosts" "$log"' EXIT
seq -f 'h%g' 0 $((ranks - 1)) >"$hosts"
smpirun -no-privatize -np "$ranks" -platform "$platform" -hostfile "$hosts" --log=root.thres:error \
  --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1 --cfg=network/model:SMPI --cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 \
  --cfg=network/weight-S:0 --cfg=network/crosstraffic:no --cfg=smpi/os:0:1e-6:0 --cfg=smpi/ois:0:1e-6:0 --cfg=smpi/or:0:1e-6:0 \
  --cfg=smpi/test:1e-8 --cfg=smpi/grow-injected-times:no --cfg=smpi/coll-selector:"$selector" "$@" 2>"$log" ||
  { grep -v xbt_cfg "$log" >&2; exit 1; }
