#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Measures how long it takes to price all algorithms of alltoall at 100,000 ranks on 12,500 nodes.
#
#   bench/price_many_ranks.sh build/release/bin/quadrille
set -eu
quadrille=${1:-quadrille}
start=$(date +%s.%N)
"$quadrille" price alltoall --node-sizes 12500x8 --block 1KiB --machine hdr
end=$(date +%s.%N)
echo "priced in $(echo "$end - $start" | bc) s"
