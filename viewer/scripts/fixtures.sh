#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Writes the schedules that the tests of the viewer read, by the command: scripts/fixtures.sh COMMAND
set -euo pipefail
export QUADRILLE_WISDOM=off
command=$(realpath "${1:?the command, such as build/release/bin/quadrille}")
cd "$(dirname "$0")/../tests/schedules"
make() {  # make NAME ARGUMENTS...
  "$command" schedule "${@:2}" --json --output "$1.json"
}
make alltoall-bruck-5 alltoall --algorithm bruck --ranks 5
make alltoall-bruck-8 alltoall --algorithm bruck:radix=2 --ranks 8
make alltoall-bruck-classical-6 alltoall --algorithm bruck:form=classical,radix=3,ports=2 --ranks 6
make alltoall-torus-3x3 alltoall --algorithm torus --topology torus:3x3
make alltoall-combined-2x3 alltoall --algorithm combined --node-sizes 3x2
make alltoallv-four-stage-6 alltoallv --algorithm four-stage --ranks 6 --block 5B
make alltoallv-multicast-6 alltoallv --algorithm multicast --ranks 6 --block 5B --pattern sparse:0.4 --shared-blocks
make allgather-concatenation-7 allgather --algorithm concatenation --ranks 7
make allgatherv-ring-4 allgatherv --algorithm ring --ranks 4
make broadcast-chain-5 broadcast --algorithm chain --ranks 5 --block 64B --root 2
make broadcast-scatter-allgather-6 broadcast --algorithm scatter-allgather --ranks 6 --block 48B
make scatter-binomial-6 scatter --algorithm binomial --ranks 6 --root 1
make gatherv-binomial-5 gatherv --algorithm binomial --ranks 5
make reduce-binomial-6 reduce --algorithm binomial --ranks 6 --root 3 --block 16B
make allreduce-ring-5 allreduce --algorithm ring --ranks 5 --block 80B
make reduce_scatter-recursive-halving-8 reduce_scatter --algorithm recursive-halving --ranks 8
make scan-direct-4 scan --algorithm direct --ranks 4
make exscan-direct-4 exscan --algorithm direct --ranks 4
make barrier-dissemination-6 barrier --algorithm dissemination --ranks 6
make gather-binomial-6 gather --algorithm binomial --ranks 6 --root 2
make scatterv-binomial-5 scatterv --algorithm binomial --ranks 5
make reduce_scatterv-ring-4 reduce_scatterv --algorithm ring --ranks 4
