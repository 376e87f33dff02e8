#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs Debian's MPI programs, alternately without and with the drop-in (`quadrille wrap`), and once with a report. Prints a table:
# what each program calls, whether its results are the same, and the ratio of the times without / with (above 1: the drop-in is
# faster) with its interval. docs/witnesses.md has such a table.
# Usage: witnesses.sh [--mpi MPI] [--repetitions N] [--seconds S] [--learned RUNS] [--again] [--install] [--folder FOLDER]
#                     [--csv FILE] [--markdown FILE] [PROGRAM...]
#   default: all programs; --list prints their names
#   --mpi      openmpi or mpich; default: each that the program is built for
#   --repetitions  of each way (default 7)
#   --seconds  starts no further repetition of a program after so many seconds, if it has three
#   --learned  the drop-in learns between runs, and has learned from so many that are not counted; otherwise it learns nothing
#   --again    measures programs that the folder has figures of once more; otherwise a run goes on where the last one stopped
#   --table    measures nothing and prints the table of the folder
#   --install  installs missing packages by apt-get (3 GB of disk for all programs); otherwise programs without their packages are left out
#   --folder   for inputs, outputs and figures, which stay (default: build/witnesses)
#   --csv      writes the time of every run to FILE
#   --markdown writes the table to FILE as Markdown
# Needs jq, the MPIs and a release build; let nothing else run meanwhile. Exits with 1 if a result is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
only='' repetitions=7 most_seconds='' learned='' again='' install='' top=build/witnesses csv='' markdown='' until='' heap='' table='' wanted=()
inputs=$PWD/bench/programs witness_inputs=$PWD/bench/witnesses
source bench/programs/recipes.sh
source bench/witnesses/recipes.sh
source bench/alternately.sh
while [ $# -gt 0 ]; do
  case $1 in
    --mpi) only=$2; shift 2 ;;
    --repetitions) repetitions=$2; shift 2 ;;
    --seconds) most_seconds=$2; shift 2 ;;
    --learned) learned=$2; shift 2 ;;
    --again) again=1; shift ;;
    --table) table=1; shift ;;
    --install) install=1; shift ;;
    --folder) top=$2; shift 2 ;;
    --csv) csv=$2; shift 2 ;;
    --markdown) markdown=$2; shift 2 ;;
    --list) printf '%s\n' "${order[@]}"; exit 0 ;;
    --help) sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0"; exit 0 ;;
    -*) fail "There is no option $1; see bench/witnesses.sh --help" ;;
    *) [ -n "${says[$1]:-}" ] || fail "There is no program $1 here; there are ${order[*]}"; wanted+=("$1"); shift ;;
  esac
done
[ ${#wanted[@]} -gt 0 ] || wanted=("${order[@]}")
[[ $only =~ ^(openmpi|mpich)?$ ]] || fail "--mpi is openmpi or mpich, not $only"
[[ $repetitions =~ ^[1-9][0-9]*$ ]] || fail "Repetitions are a number from 1 on, not $repetitions"
[[ $most_seconds =~ ^([1-9][0-9]*)?$ ]] || fail "--seconds is a number from 1 on, not $most_seconds"
[[ $learned =~ ^([1-9][0-9]*)?$ ]] || fail "--learned is a number of runs from 1 on, not $learned"
quadrille=$PWD/build/release/bin/quadrille
command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
export OMP_NUM_THREADS=1 LC_ALL=C
find_mpis

launch() { run_mpi "$1" "$2" timeout --foreground -k 5 120 "${@:3}" </dev/null; }  # launch MPI RANKS COMMAND..

is_ready() {  # is_ready NAME: can the program run under $mpi? Says what is missing
  local needed
  [[ " ${mpis[*]} " == *" $mpi "* ]] || { talk "$1 is left out under $mpi: $mpi is missing"; return 1; }
  read -ra needed <<<"${packages[$1]//MPI/$mpi}"
  mapfile -t needed < <(missing "${needed[@]}")
  [ ${#needed[@]} -gt 0 ] || return 0
  if [ -n "$install" ] && is_root && apt_install "${needed[@]}"; then return 0; fi
  talk "$1 is left out under $mpi: missing packages ${needed[*]} (--install installs them)"
  return 1
}

examine() {  # examine NAME: runs the program once with a report. Prints what it calls and whether the results are still the same
  local name=$1 package=${packages[$1]//MPI/$mpi}
  package=${package%% *}
  cd "$folder/$name"
  "run_$name" "${usual_ranks[$name]}" "$quadrille" wrap --no-learn "--report=full:$PWD/report.txt" 2>errors.txt ||
    { cat errors.txt >&2; fail "$name ended with an error, with a report"; }
  "result_$name" >result_report || true
  jq -c --arg name "$name" --arg mpi "$mpi" --arg package "$package" --arg version "$(dpkg-query -W -f '${Version}' "$package")" \
    --arg says "${says[$name]}" --arg compared "${compared[$name]}" --arg same "$(compare "$name" result_without_0 result_report)" \
    '{$name, $mpi, $package, $version, $says, $compared, $same, ranks: .world_size, share,
      calls: (.rows | group_by(.collective) | map({collective: .[0].collective, calls: (map(.calls) | add), ours: (map(.ours_calls) | add)}))}' \
    report.txt.json
}

mkdir -p "$top"
top=$(cd "$top" && pwd)
own_control_group
trap leave_control_group EXIT
if [ -n "$table" ]; then wanted=(); fi
for name in ${wanted[@]+"${wanted[@]}"}; do
  for mpi in ${mpis_of[$name]}; do
    folder=$top/$mpi
    [ -z "$only" ] || [ "$mpi" = "$only" ] || continue
    [ -n "$again" ] || [ ! -s "$folder/$name.json" ] || continue
    is_ready "$name" || continue
    talk "$name, $mpi, ${usual_ranks[$name]} ranks"
    mkdir -p "$folder"
    rm -f "$folder/$name.json"
    if (measure "$name" "${usual_ranks[$name]}") >"$folder/$name.runs" && (examine "$name") >"$folder/$name.examined"; then
      jq -s -c '(map(select(.says)) | .[0]) + {runs: map(select(.s)), compared_runs: map(select(.way and .same))}' \
        "$folder/$name.examined" "$folder/$name.runs" >"$folder/$name.json"
    else
      talk "$name under $mpi has no figures"
    fi
  done
done

figures=()
for name in "${order[@]}"; do
  for mpi in ${mpis_of[$name]}; do
    [ ! -s "$top/$mpi/$name.json" ] || figures+=("$top/$mpi/$name.json")
  done
done
[ ${#figures[@]} -gt 0 ] || fail "There are no figures in $top"
[ -z "$csv" ] || jq -r '. as $program | .runs[] | [$program.mpi, .name, .ranks, .way, .s] | @csv' "${figures[@]}" >"$csv"
jq -s -r -L bench -f bench/witnesses.jq "${figures[@]}" | tee ${markdown:+"$markdown"}
! jq -e -s 'any(.[] | .same, .compared_runs[].same; startswith("differ"))' "${figures[@]}" >/dev/null
