#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the irregular exchanges A1 to A4 of [liu2002] with messages of today: both patterns of the paper, blocking (b),
# nonblocking with one send buffer (n1) and with two (n2), elements of 22 bytes as on the SP2. Each rank is a host of its own.
#   hosts-16, hosts-36  real messages of Open MPI on emulated hosts, links of 100 Mbit/s; with the times of single phases
#   smpi-64             64 hosts in SimGrid's SMPI: 1 us a message at each end, links of 1 GB/s, no time for copies
# Pattern1 is drawn three times, with seeds 1, 2, 3. Writes docs/reproduction/liu2002-measured.csv, which the exhibit liu2002-measured
# (`quadrille reproduce liu2002-measured`) draws beside the paper's model.
# Usage: measured_irregular.sh [--time SECONDS] [--repetitions N] [--elements LIST] [PART...]
#   default: all parts, 0.2s for each race, 5 repetitions, longest messages of 16,64,256,1024,4096 elements. A part that is left out keeps its rows.
# Needs jq, a release build, Open MPI, root, iproute2 and util-linux (hosts), SimGrid (smpi). Takes about 20 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
time=0.2s repetitions=5 lengths='16 64 256 1024 4096' parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --time) time=$2; shift 2 ;;
    --repetitions) repetitions=$2; shift 2 ;;
    --elements) lengths=${2//,/ }; shift 2 ;;
    hosts-16 | hosts-36 | smpi-64) parts+=("$1"); shift ;;
    *) fail "There is no $1; see the head of bench/measured_irregular.sh" ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=(hosts-16 hosts-36 smpi-64)
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
quadrille=$PWD/build/release/bin/quadrille table=docs/reproduction/liu2002-measured.csv
folder=$PWD/build/bench/measured_irregular
export QUADRILLE_WISDOM=off
rm -rf "$folder"
mkdir -p "$folder"

element=22  # bytes
# In the order A1 to A4.
algorithms=(shift two-phase:grain=$element,counts=known grid:columns=paper,counts=known
  four-stage:columns=paper,split=paper,grain=$element,counts=known)
candidates=()
for algorithm in "${algorithms[@]}"; do candidates+=(--algorithm "$algorithm"); done

# Runs a command for each pattern and number of elements of the longest message: COMMAND PATTERN ELEMENTS SEED FILE
for_each_exchange() {
  local elements seed
  for elements in $lengths; do
    "$@" transpose $elements 1 "$folder/$part-transpose-$elements-1"
    for seed in 1 2 3; do "$@" spike $elements $seed "$folder/$part-spike-$elements-$seed"; done
  done
}
pattern() {  # pattern KIND ELEMENTS SEED, in bytes
  local text=$1:$(($2 * element)),$element
  [ "$1" != spike ] || text+=,seed=$3
  echo "$text"
}
# jq: a row of the table for each line of {kind, elements, seed, algorithm, policy, seconds, distribute, communicate, collect}
rows='def mode: {blocking: "b", nonblocking: "n1", dataflow: "n2"}[.];
  def number: {shift: 1, "two-phase": 2, grid: 3, "four-stage": 4}[split(":")[0]];
  def ms: if . == null then "" else . * 1e9 | round / 1e6 end;
  [$where, ($ranks | tonumber), {spike: "Pattern1", transpose: "Pattern2"}[$kind], ($elements | tonumber), ($seed | tonumber),
   "A\(.algorithm | number)-\(.policy | mode)", (.seconds | ms), (.distribute_s | ms), (.communicate_s | ms), (.collect_s | ms)] | @csv'
row() {  # row KIND ELEMENTS SEED FILTER FILE
  jq -r --arg where "$where" --arg ranks "$ranks" --arg kind "$1" --arg elements "$2" --arg seed "$3" "$4 | $rows" "$5" | tr -d '"' >>"$folder/$part.csv"
}

on_hosts() {  # on_hosts KIND ELEMENTS SEED FILE
  tests/hosts/run.sh openmpi 1 "$quadrille" race alltoallv --pattern "$(pattern "$@")" "${candidates[@]}" --policy all --executor mpi \
    --phases --repetitions "$repetitions" --time "$time" --json --output "$4.json" 2>"$4.log" || { cat "$4.log" >&2; exit 1; }
  row "$1" "$2" "$3" '.sizes[0].entries[] | select(.algorithm != "vendor") + {seconds: .median_s}' "$4.json"
}

inside_smpi() {  # inside_smpi KIND ELEMENTS SEED FILE
  bench/smpi/run.sh "$ranks" cluster-64 mpich "$quadrille-smpi" alltoallv --pattern "$(pattern "$@")" "${candidates[@]}" --policy all >"$4.json"
  row "$1" "$2" "$3" . "$4.json"
}

for part in "${parts[@]}"; do
  where=${part%-*} ranks=${part#*-}
  if [ "$where" = hosts ]; then
    tests/hosts/hosts.sh can || exit 2
    trap 'tests/hosts/hosts.sh down' EXIT
    tests/hosts/hosts.sh up "$ranks" 100mbit
    for_each_exchange on_hosts
    tests/hosts/hosts.sh down
    trap - EXIT
  else
    command -v smpirun >/dev/null && [ -e "$quadrille-smpi" ] || fail "There is no SimGrid here. Run: sudo apt-get install libsimgrid-dev, then ./demo"
    for_each_exchange inside_smpi
  fi
done
header=where,ranks,pattern,elements,seed,curve,time_ms,distribute_ms,communicate_ms,collect_ms
{
  echo $header
  for part in hosts-16 hosts-36 smpi-64; do
    if [ -e "$folder/$part.csv" ]; then cat "$folder/$part.csv"; else grep "^${part/-/,}," "$table" || true; fi
  done
} >"$folder/table.csv"
mv "$folder/table.csv" "$table"
talk "$(($(wc -l <"$table") - 1)) rows in $table"
