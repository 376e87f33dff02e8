#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# choose_test.sh QUADRILLE MPIRUN STEADY MANY: the algorithms that the user names are used, and candidates race during a run.
set -u
quadrille=$1 mpirun=$2 steady=$3 many=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; head -n 60 "$work/said"; exit 1; }
wrapped() { timeout 100 "$mpirun" -n 3 "$quadrille" wrap --report=full:"$work/run" "$@" >"$work/said" 2>&1 || wrong "$*"; }
# ran COLLECTIVE: for each row of the collective in the report, writes what ran the calls and why to $work/ran.
ran() { python3 -c '
import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    if row["collective"] == sys.argv[2]: print(row["least_block_bytes"], row["ours_calls"], row["what"], "/", row["why"], "/", *[p["why"] for p in row["passed"]])
' "$work/run.json" "$1" >"$work/ran"; }

QUADRILLE_ADMIT=1 wrapped --choose 'alltoall:0-1KiB=bruck:radix=2; allreduce=vendor; allgather=foo; alltoallv=direct; gatherv=vendor' "$steady"
grep -q 'all as expected' "$work/said" || wrong 'results'
[ "$(grep -c 'allgather=foo is ignored: there is no allgather algorithm' "$work/said")" = 1 ] || wrong 'a sentence for foo'
[ "$(grep -c 'alltoallv=direct is ignored' "$work/said")" = 1 ] || wrong 'a sentence for alltoallv'
ran Alltoall
[ "$(grep -cE '^(8|16) [1-9][0-9]* bruck:.*radix=2.*/ QUADRILLE_CHOOSE says so' "$work/ran")" -ge 1 ] || wrong "$(cat "$work/ran")"
grep -E '^4096 ' "$work/ran" | grep -q 'QUADRILLE_CHOOSE' && wrong 'larger blocks have no rule'
ran Allreduce
grep -qvE ' 0 None .*QUADRILLE_CHOOSE says so' "$work/ran" && wrong "$(cat "$work/ran")"
ran Gatherv
grep -q '^None 0 None .*QUADRILLE_CHOOSE says so' "$work/ran" || wrong "gatherv: $(cat "$work/ran")"
ran Scatterv
grep -qE ' [1-9][0-9]* exchange / it needs no plan' "$work/ran" || wrong "scatterv: $(cat "$work/ran")"
ran Allgather
grep -qE ' [1-9][0-9]* [a-z]' "$work/ran" || wrong 'without its rule, allgather is chosen as ever'

# Only rank 0's rules count, for all ranks.
QUADRILLE_ADMIT=1 wrapped sh -c 'rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-}}; [ "$rank" = 0 ] && export QUADRILLE_CHOOSE="alltoall=bruck:radix=3"; exec "$@"' sh "$steady"
ran Alltoall
grep -q 'radix=3' "$work/ran" && ! grep -qE ' [1-9][0-9]* [^b]' "$work/ran" || wrong 'the rules of rank 0'

# The results of races during a run are saved to wisdom.
QUADRILLE_WISDOM=$work/wisdom wrapped --tune=50% "$many"
[ -s "$work/wisdom" ] && QUADRILLE_WISDOM=$work/wisdom "$quadrille" wisdom show | grep -q alltoall || wrong 'nothing was learnt'
echo good
