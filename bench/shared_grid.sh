#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Races the shared-memory executor against Open MPI's and MPICH's own collectives on this machine, in alternating launches. Each MPI
# has the settings that are best for it (docs/benchmarking.md). Prints a table by ranks and size: how many times faster ours is than
# the better of the two, in the worst launch and, in parentheses, as a median over the launches.
# Usage: shared_grid.sh [--launches N] [--time SECONDS] [--ranks "2 4 8 16"] [--sizes 8B,..] [--algorithm SPEC]... [--forced]
#        [--traffic KIND] [--copies] [--heap] [--continue] [COLLECTIVE...] [-- OPTIONS OF quadrille race...]
#   default: alltoall, 10 launches of each MPI and number of ranks, 0.3s a size, every algorithm. The JSON of all races is kept in
#   build/bench/grid.
#   --continue keeps the races that an interrupted run has finished
#   --heap     with the heap that shares the buffers of both sides (quadrille wrap --heap)
#   --forced   also against every algorithm that each MPI can be told to use
#   --traffic  for alltoallv: the pattern spike or transpose, whose largest message has the size (--pattern KIND:SIZE)
#   --copies   also against the time in which this machine copies the bytes of an alltoall (use with -- --memory shared)
# Needs jq, both MPIs and a release build.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
launches=10 time=0.3s all_ranks="2 4 8 16" sizes=8B,64B,512B,4KiB,32KiB,256KiB,2MiB,4MiB options=() collectives=() traffic='' forced='' copies='' heap='' continues=''
while [ $# -gt 0 ]; do
  case $1 in
    --launches) launches=$2; shift 2 ;;
    --time) time=$2; shift 2 ;;
    --ranks) all_ranks=$2; shift 2 ;;
    --sizes) sizes=$2; shift 2 ;;
    --algorithm) options+=(--algorithm "$2"); shift 2 ;;
    --traffic) traffic=$2; shift 2 ;;
    --forced) forced=1; shift ;;
    --copies) copies=1; shift ;;
    --heap) heap=1; shift ;;
    --continue) continues=1; shift ;;
    --) shift; options+=("$@"); break ;;
    --*) fail "There is no option $1; see the head of bench/shared_grid.sh" ;;
    *) collectives+=("$1"); shift ;;
  esac
done
[ ${#collectives[@]} -gt 0 ] || collectives=(alltoall)
quadrille=$PWD/build/release/bin/quadrille
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
find_mpis
[ -z "$heap" ] || preloaded=$PWD/build/release/lib/libquadrille-heap.so
own_control_group
trap leave_control_group EXIT

algorithms_of() {  # algorithms_of MPI COLLECTIVE: prints, for each algorithm of the library, the environment that selects it
  local mpi=$1 collective=$2 name
  if [ "$mpi" = openmpi ]; then
    case $collective in
      alltoall) set -- 1 2 3 4 ;;  # linear, pairwise, Bruck's, linear with synchronisation
      allgather) set -- 1 2 3 4 5 ;;
      allreduce) set -- 1 2 3 4 5 6 ;;
      broadcast) set -- 1 2 3 4 5 6 7 8 9; collective=bcast ;;
      reduce) set -- 1 2 3 4 5 6 7 ;;
      scatter | gather) set -- 1 2 3 ;;
      *) set -- ;;
    esac
    for name; do echo "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_${collective}_algorithm=$name"; done
  else
    case $collective in
      alltoall) set -- brucks pairwise scattered ;;
      allgather) set -- brucks recursive_doubling ring ;;
      allreduce) set -- recursive_doubling reduce_scatter_allgather ;;
      broadcast) set -- binomial scatter_recursive_doubling_allgather scatter_ring_allgather; collective=bcast ;;
      reduce) set -- binomial reduce_scatter_gather ;;
      *) set -- ;;
    esac
    collective=${collective^^}
    for name; do
      echo "MPIR_CVAR_${collective}_INTRA_ALGORITHM=$name MPIR_CVAR_${collective}_DEVICE_COLLECTIVE=0"
    done
  fi
}

run_race() {  # run_race FILE MPI RANKS COLLECTIVE OPTIONS...: skips a race whose file is there
  local file=$1 mpi=$2 ranks=$3 collective=$4 size part=0
  shift 4
  if [ -z "$traffic" ]; then
    [ ! -e "$file.json" ] || return 0
    run_mpi "$mpi" "$ranks" "$quadrille" race "$collective" --block "$sizes" --executor shared --repetitions 3 --time "$time" "$@" --json \
      --output "$file.json"
  else
    for size in ${sizes//,/ }; do
      part=$((part + 1))
      [ ! -e "${file}_part$part.json" ] || continue
      run_mpi "$mpi" "$ranks" "$quadrille" race "$collective" --pattern "$traffic:$size" --executor shared --repetitions 3 \
        --time "$time" "$@" --json --output "${file}_part$part.json"
    done
  fi
}

for collective in "${collectives[@]}"; do
  folder=build/bench/grid/$collective${traffic:+_$traffic}${heap:+_heap}
  mkdir -p "$folder"
  [ -n "$continues" ] || rm -f "$folder"/*.json
  for ((launch = 1; launch <= launches; ++launch)); do
    for ranks in $all_ranks; do
      for mpi in "${mpis[@]}"; do
        run_race "$folder/${mpi}_${ranks}_$launch" "$mpi" "$ranks" "$collective" --seed "$launch" ${options[@]+"${options[@]}"}
        [ -n "$forced" ] || continue
        number=0
        while read -r settings; do  # some algorithms cannot run on every number of ranks
          (
            export ${settings?}
            run_race "$folder/${mpi}_${ranks}_${launch}_forced$number" "$mpi" "$ranks" "$collective" --algorithm vendor </dev/null
          ) || talk "$mpi does not run with $settings"
          number=$((number + 1))
        done < <(algorithms_of "$mpi" "$collective")
      done
      if [ -n "$copies" ]; then
        "$quadrille" run -n "$ranks" build/release/bench/shared_copies $(numfmt --from=auto --suffix=B ${sizes//,/ } | tr -d B) \
          >"$folder/copies_${ranks}_$launch.json"
      fi
    done
  done
  for against in default ${forced:+forced} ${copies:+copies}; do
    case $against in
      default) what="the better of ${mpis[*]}" ;;
      forced) what="the best algorithm of ${mpis[*]}" ;;
      copies) what="the machine copies as many bytes" ;;
    esac
    printf '\n%s: times faster than %s; %d cores, %d launches\n' "$collective${traffic:+, $traffic}" "$what" "$(nproc)" "$launches"
    jq -n -r --arg against "$against" --arg sizes "$sizes" -f bench/shared_grid.jq "$folder"/*.json | column -t -s "$(printf '\t')"
  done
done
