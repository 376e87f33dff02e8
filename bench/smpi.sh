#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares our predictions with SimGrid's SMPI, an independent simulator. The platforms are a torus, a fat tree and a cluster, of 64
# and 256 hosts. Table `agreement`: schedules run inside SMPI (quadrille-smpi), and are simulated by events and priced for the same
# machine. Table `choice`: the algorithm with the best price runs inside SMPI against the algorithms that SMPI's selectors ompi,
# mpich, mvapich2 and impi take. Prints the tables as markdown.
# Usage: smpi.sh [--quick] [agreement] [choice]
#   default: both tables. --quick: 64 hosts only, and three sizes of messages. The JSON of all runs is kept in build/bench/smpi.
# Needs SimGrid 3.32 or so (Debian: libsimgrid-dev), jq and a release build; without SimGrid it says so and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
quick='' parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=1 ;;
    agreement | choice) parts+=("$1") ;;
    *) fail "There is no $1; see the head of bench/smpi.sh" ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(agreement choice)
command -v smpirun >/dev/null || { talk "skipped: there is no SimGrid here (Debian: libsimgrid-dev)"; exit 0; }
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x build/release/bin/quadrille ] && [ -e build/release/bin/quadrille-smpi ] ||
  fail "No build/release/bin/quadrille-smpi: install libsimgrid-dev and run ./demo again"
export quadrille=$PWD/build/release/bin/quadrille machine=$PWD/bench/smpi/machine.toml platforms=$PWD/bench/smpi folder=$PWD/build/bench/smpi
rm -rf "$folder"
mkdir -p "$folder"

# For each platform by name: the number of its ranks, the topology for `quadrille`, and the option --grid.
ranks_of() { case $1 in *-256 | torus-16x16) echo 256 ;; *) echo 64 ;; esac; }
topology_of() { case $1 in cluster-*) echo "cluster:$(ranks_of "$1")x1" ;; *) echo "$platforms/$1.xml" ;; esac; }
grid_of() { case $1 in torus-*) echo "--grid ${1#torus-}" ;; esac; }

block_of() { case "$*" in *spike:* | *transpose:*) ;; *) echo "--block $1" ;; esac; }  # these patterns state their sizes themselves

inside() {  # inside NAME PLATFORM SELECTOR OPTIONS OF quadrille-smpi...: writes lines of JSON to NAME.smpi
  local name=$1 platform=$2 selector=$3
  shift 3
  bench/smpi/run.sh "$(ranks_of "$platform")" "$platform" "$selector" "$quadrille-smpi" "$@" >"$folder/$name.smpi.part" || return 1
  mv "$folder/$name.smpi.part" "$folder/$name.smpi"
}

# predicted NAME BY COLLECTIVE SIZES OPTIONS OF quadrille simulate...: writes a JSON array with an element for each size to NAME.BY
predicted() {
  local name=$1 by=$2 collective=$3 sizes=$4 size
  shift 4
  for size in ${sizes//,/ }; do
    "$quadrille" simulate "$collective" $(block_of "$size" "$@") "$@" --machine "$machine" --model loggp --by "$by" --json |
      jq --arg size "$(numfmt --from=auto --suffix=B "$size")" '.block_bytes = ($size | rtrimstr("B") | tonumber)'
  done | jq -s . >"$folder/$name.$by"
}

# agree PLATFORM COLLECTIVE SIZES [--pattern PATTERN] ALGORITHM... Takes SMPI's selector mpich, because agreement between the ranks
# before a run takes few messages with it, and p^2 with SMPI's default.
agree() {
  local platform=$1 collective=$2 sizes=$3 options=() specifications=() name
  shift 3
  if [ "$1" = --pattern ]; then options=(--pattern "$2"); shift 2; fi
  for name; do specifications+=(--algorithm "$name"); done
  name=agreement_${platform}_${collective}${options[1]:+_${options[1]%%:*}}
  inside "$name" "$platform" mpich "$collective" $(block_of "$sizes" "${options[@]}") "${options[@]}" "${specifications[@]}" $(grid_of "$platform")
  for by in events rounds; do
    predicted "$name" $by "$collective" "$sizes" "${options[@]}" "${specifications[@]}" --topology "$(topology_of "$platform")"
  done
}

choose() {  # choose PLATFORM COLLECTIVE SIZE [PATTERN]: runs the algorithm with the best price, and SMPI's selectors
  local platform=$1 collective=$2 size=$3 pattern=${4:-} options=() candidates=(all) best name selector
  [ -z "$pattern" ] || options=(--pattern "$pattern")
  case $collective in alltoall) for radix in 4 8 16 32; do candidates+=("bruck:radix=$radix"); done ;; esac
  case $collective in alltoallv) candidates+=("direct:window=$(($(ranks_of "$platform") - 1))" two-phase:counts=known four-stage:counts=known grid:counts=known) ;; esac
  case $collective in allgather) candidates+=(recursive-doubling:first=far) ;; esac
  case $collective in allreduce) candidates+=(reduce-scatter-allgather:scatter=recursive-halving:first=near,gather=recursive-doubling:first=far) ;; esac
  name=choice_${platform}_${collective}${pattern:+_${pattern%%:*}}_$size
  predicted "$name" rounds "$collective" "$size" "${options[@]}" "${candidates[@]/#/--algorithm=}" --topology "$(topology_of "$platform")"
  best=$(jq -r '.[0].candidates | map(select(.algorithm | test("headers") | not)) | min_by(.end_ps).algorithm' "$folder/$name.rounds")
  inside "$name.ours" "$platform" mpich "$collective" $(block_of "$size" "${options[@]}") "${options[@]}" --algorithm "$best" $(grid_of "$platform")
  for selector in ompi mpich mvapich2 impi; do
    inside "$name.$selector" "$platform" $selector "$collective" $(block_of "$size" "${options[@]}") "${options[@]}" --algorithm vendor || true  # some selectors fail
  done
}
export -f block_of inside predicted agree choose ranks_of topology_of grid_of talk

in_parallel() { xargs -P "$(nproc)" -d '\n' -I LINE bash -c 'set -euo pipefail; LINE'; }  # reads one command from each line

for part in "${parts[@]}"; do
  if [ "$part" = agreement ]; then
    {
      for platform in torus-8x8 fat-tree-64 cluster-64 $([ -n "$quick" ] || echo torus-16x16 fat-tree-256 cluster-256); do
        case $platform in torus-*) extra=torus ;; *) extra='' ;; esac
        sizes=8B,1KiB,32KiB
        if [ "$(ranks_of "$platform")" = 64 ]; then
          echo "agree $platform alltoall $sizes direct shift bruck bruck:radix=8 $extra"
          echo "agree $platform alltoallv $sizes --pattern uniform shift two-phase:counts=known four-stage:counts=known"
          echo "agree $platform allgather $sizes ring recursive-doubling direct"
        else  # SMPI takes many minutes for tens of thousands of messages
          sizes=8B,4KiB
          echo "agree $platform alltoall $sizes bruck"
          echo "agree $platform allgather $sizes recursive-doubling"
        fi
        echo "agree $platform allreduce $sizes recursive-doubling reduce-scatter-allgather"
        echo "agree $platform broadcast $sizes binomial chain"
      done
    } | in_parallel
    jq -n -r -f bench/smpi/agreement.jq "$folder"/agreement_*.{smpi,events,rounds}
  else
    sizes=(8B 256B 4KiB 32KiB 256KiB 1MiB)
    [ -z "$quick" ] || sizes=(8B 4KiB 256KiB)
    {
      for platform in fat-tree-64 torus-8x8; do
        for size in "${sizes[@]}"; do
          for collective in alltoall allgather allreduce; do echo "choose $platform $collective $size"; done
          echo "choose $platform alltoallv $size uniform"
          for pattern in spike transpose; do echo "choose $platform alltoallv $size $pattern:$size"; done
        done
      done
    } | in_parallel
    jq -n -r -f bench/smpi/choice.jq "$folder"/choice_*.smpi
  fi
done
