#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# symbols_test.sh MPI_LIBRARY PRELOAD_LIBRARY: the preloaded library defines each C collective that the MPI library has.
set -eu
names='(Barrier|Bcast|Reduce|Allreduce|Reduce_scatter|Reduce_scatter_block|Scan|Exscan|Gatherv?|Scatterv?|Allgatherv?|Alltoall[vw]?)'
lower=$(tr 'A-Z' 'a-z' <<<"$names")
collectives() {
  nm -D --defined-only "$1" | awk '{print $NF}' | sed 's/@.*//' | sort -u |
    { grep -E "^MPIX?_($names|I$lower|(Neighbor|Ineighbor)_$lower)(_init)?(_c)?$" || true; }
}
missed=$(comm -23 <(collectives "$1") <(collectives "$2"))
[ -z "$missed" ] || { echo "not defined for preloading:" $missed; exit 1; }
collectives "$1" | wc -l | { read -r count; echo "$count collectives"; [ "$count" -ge 60 ]; }
