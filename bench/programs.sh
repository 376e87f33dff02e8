#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs programs, alternately without and with the drop-in (`quadrille wrap`): Debian's under Open MPI, for which they are built, and
# kernels that call what such programs call (bench/programs/kernels.c) under any MPI. Prints the median time of each way, the ratio without / with (above 1: the drop-in is faster) with its interval, and
# whether the results are the same. If a program's own runs differ, or the drop-in sums in another order, the results agree only up
# to a relative difference, which is printed.
# Usage: programs.sh [--hosts SLOTS] [--rate RATE] [--mpi MPI] [--repetitions N] [--until WIDTH] [--learned RUNS] [--heap | --heap-alone] [--install]
#                    [--folder FOLDER] [--csv FILE] [PROGRAM[:RANKS]...]
#   default: pw:4 pw:8 pwcell:8 fftw:8 lammps:4 gromacs:4 hpcc:4, 7 repetitions; with --hosts: the kernels
#     pw       Quantum ESPRESSO's pw.x, 8 silicon atoms (package quantum-espresso, quantum-espresso-data)
#     pwcell   pw.x on silicon's primitive cell, with more k-points: many short collectives
#     fftw     FFTW-MPI, 64^3, out of place, MEASURE (libfftw3-mpi-dev); fftw-transforms is its figure without planning
#     lammps   Lennard-Jones liquid, 16,384 atoms (lammps)
#     gromacs  water, particle mesh Ewald; half of the ranks for the mesh (gromacs)
#     hpcc     HPC Challenge, N = 600 (hpcc)
#   kernels, with blocks of BYTES, ITERATIONS times; the figure NAME-loop is without the program's start and end:
#     pencils-BYTES-ITERATIONS, sort-.., sparse-.., gradients-.., allgather-.., broadcast-.., alltoall-..
#   --hosts    on several hosts that this machine simulates (tests/hosts): the ranks of each host, such as 4,4,4,4,4,4
#   --rate     of the links between these hosts, as tc writes it (default 100mbit)
#   --mpi      for the kernels: openmpi (default) or mpich
#   --until    repeats until the interval of the ratio is narrower than WIDTH, at most 25 times
#   --learned  the drop-in learns between runs, and has learned from so many that are not counted; otherwise it learns nothing
#   --heap     the drop-in's runs share their large allocations (quadrille wrap --heap)
#   --heap-alone  compares without and with the heap, and never uses the drop-in
#   --install  installs missing packages by apt-get: downloads 170 MB, takes 750 MB of disk with their dependencies
#   --folder   for inputs and outputs, which stay; default: a temporary folder, which is removed
#   --csv      writes the time of every run to FILE
# Needs jq, Open MPI and a release build; let nothing else run meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
repetitions=7 install='' folder='' csv='' hosts='' rate=100mbit mpi=openmpi until='' learned='' heap='' wanted=()
while [ $# -gt 0 ]; do
  case $1 in
    --hosts) hosts=$2; shift 2 ;;
    --rate) rate=$2; shift 2 ;;
    --mpi) mpi=$2; shift 2 ;;
    --until) until=$2; shift 2 ;;
    --learned) learned=$2; shift 2 ;;
    --repetitions) repetitions=$2; shift 2 ;;
    --heap) heap=--heap; shift ;;
    --heap-alone) heap=alone; shift ;;
    --install) install=1; shift ;;
    --folder) folder=$2; shift 2 ;;
    --csv) csv=$2; shift 2 ;;
    --help) sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0"; exit 0 ;;
    -*) fail "There is no option $1; see bench/programs.sh --help" ;;
    *) wanted+=("$1"); shift ;;
  esac
done
kernels=(pencils-512-2000 sort-512-1500 sparse-1024-1500 gradients-1024-1500 gradients-16384-150 alltoall-64-4000 alltoall-1024-800)
[ ${#wanted[@]} -gt 0 ] || [ -z "$hosts" ] || wanted=("${kernels[@]}")
[ ${#wanted[@]} -gt 0 ] || wanted=(pw:4 pw:8 pwcell:8 fftw:8 lammps:4 gromacs:4 hpcc:4)
[[ $repetitions =~ ^[1-9][0-9]*$ ]] || fail "Repetitions are a number from 1 on, not $repetitions"
[[ $mpi =~ ^(openmpi|mpich)$ ]] || fail "--mpi is openmpi or mpich, not $mpi"
[[ $until =~ ^(0?\.[0-9]+)?$ ]] || fail "--until is a width such as 0.06, not $until"
[[ $learned =~ ^([1-9][0-9]*)?$ ]] || fail "--learned is a number of runs from 1 on, not $learned"
[[ $hosts =~ ^([1-9][0-9]*(,[1-9][0-9]*)*)?$ ]] || fail "--hosts is the number of ranks on each host, such as 4,4,4, not $hosts"
quadrille=$PWD/build/release/bin/quadrille inputs=$PWD/bench/programs scripts=$PWD/tests/hosts
export OMP_NUM_THREADS=1 LC_ALL=C

declare -A packages=([pw]="quantum-espresso quantum-espresso-data" [pwcell]="quantum-espresso quantum-espresso-data"
                    [fftw]="libfftw3-mpi-dev libfftw3-dev" [lammps]=lammps [gromacs]=gromacs [hpcc]=hpcc)
declare -A usual_ranks=([pw]=4 [pwcell]=4 [fftw]=8 [lammps]=4 [gromacs]=4 [hpcc]=4)
# The largest relative difference that numbers of the results may have. gromacs sums in single precision. In gromacs and lammps the
# paths of atoms diverge within some hundred steps once one bit differs.
declare -A tolerances=([pw]=1e-7 [pwcell]=1e-7 [fftw]=1e-12 [lammps]=1e-6 [gromacs]=1e-3 [hpcc]=0)

is_kernel() { [[ $1 =~ ^(pencils|sort|sparse|gradients|allgather|broadcast|alltoall)-[1-9][0-9]*-[1-9][0-9]*$ ]]; }

launch() {  # launch MPI RANKS COMMAND..: on this machine, or on the simulated hosts
  if [ -z "$hosts" ]; then run_mpi "$@"; else "$scripts/run.sh" "$1" "$hosts" "${@:3}"; fi
}

check_needs() {
  local each name needed=()
  command -v jq >/dev/null || fail "jq is missing. Run: sudo apt-get install jq"
  [ -n "$(launcher_of openmpi)" ] || fail "Open MPI is missing. Run: sudo apt-get install ${openmpi_packages[*]}"
  [ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
  [ "$mpi" = openmpi ] || [ -n "$(launcher_of mpich)" ] || fail "MPICH is missing. Run: sudo apt-get install ${mpich_packages[*]}"
  for each in "${wanted[@]}"; do
    name=${each%%:*}
    if is_kernel "$name"; then continue; fi
    [ "$mpi" = openmpi ] || fail "$name is built for Open MPI"
    [ -n "${packages[$name]:-}" ] || fail "There is no program $name here; there are ${!packages[*]}"
    [[ $each =~ ^[a-z]+(:[1-9][0-9]*)?$ ]] || fail "$each is no program and number of ranks such as pw:4"
    read -ra needed <<<"${needed[*]:-} ${packages[$name]}"
  done
  mapfile -t needed < <(missing "${needed[@]}")
  [ ${#needed[@]} = 0 ] || { [ -n "$install" ] && is_root; } ||
    fail "Missing packages: ${needed[*]}. Run as root with --install, or: sudo apt-get install --no-install-recommends ${needed[*]}"
  [ ${#needed[@]} = 0 ] || apt_install "${needed[@]}" || fail "These packages cannot be installed: ${needed[*]}"
}

# ---- Functions of each program X: prepare_X makes its input in the current folder. run_X RANKS [WRAP...] runs it there. result_X
# prints the results to be compared. also_X, where it exists, prints the name and seconds of a second figure.

prepare_pw() { prepare_silicon si.in; }
prepare_pwcell() { prepare_silicon si2.in; }
prepare_silicon() {
  cp "$inputs/$1" si.in
  zcat -f /usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF* >Si.pz-vbc.UPF
}
run_pw() { launch openmpi "$1" "${@:2}" pw.x -in si.in >out.txt; }
result_pw() { grep -E '^!|^ +atom +[0-9]+ type|Total force =|^ +-?[0-9]+\.[0-9]{4} +-?[0-9]+\.[0-9]{4}' out.txt; }

run_pwcell() { run_pw "$@"; }
result_pwcell() { result_pw; }

prepare_fftw() { mpicc.openmpi -O2 -o fft_alltoall "$inputs/fft_alltoall.c" -lfftw3_mpi -lfftw3 -lm; }
run_fftw() { launch openmpi "$1" "${@:2}" ./fft_alltoall 64 200 >out.txt; }
result_fftw() { grep '^result' out.txt; }
also_fftw() { awk '/^planned_s/ {print "fftw-transforms", $4}' out.txt; }

prepare_lammps() { cp "$inputs/lj.in" .; }
run_lammps() { launch openmpi "$1" "${@:2}" lmp -in lj.in -log none >out.txt; }
result_lammps() { sed -n '/^Step/,/^Loop/{/^Loop/d;p}' out.txt; }

prepare_gromacs() {
  cp "$inputs/water.top" "$inputs"/*.mdp .
  gmx solvate -cs spc216.gro -box 3 3 3 -o packed.gro -p water.top &&
    gmx grompp -f minimise.mdp -c packed.gro -p water.top -o minimise.tpr &&
    gmx mdrun -s minimise.tpr -deffnm minimised -ntmpi 1 -ntomp 1 &&
    gmx grompp -f run.mdp -c minimised.gro -p water.top -o run.tpr
}
run_gromacs() { launch openmpi "$1" "${@:2}" gmx_mpi mdrun -s run.tpr -ntomp 1 -reprod -npme $(($1 / 2)) -deffnm run >out.txt 2>&1; }
result_gromacs() {
  printf '%s\n' Potential Kinetic-En. Total-Energy '' | gmx energy -f run.edr -dp -o energy.xvg >/dev/null 2>&1
  grep -v '^[#@]' energy.xvg
}

prepare_hpcc() { sed 's/^1000 /600 /' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt; }
run_hpcc() { rm -f hpccoutf.txt && launch openmpi "$1" "${@:2}" hpcc; }
# Compares only the checks of hpcc; the rest of its output is times.
result_hpcc() { grep -oE '^(Success|CommWorldProcs|MPIRandomAccess.*_Errors|PTRANS_n|HPL_N)=.*|PASSED|FAILED' hpccoutf.txt; }

prepare_kernel() { "mpicc.$mpi" -O2 -o kernels "$inputs/kernels.c"; }
run_kernel() {  # run_kernel NAME RANKS [WRAP..]
  local name bytes iterations
  IFS=- read -r name bytes iterations <<<"$1"
  launch "$mpi" "$2" "${@:3}" "$PWD/kernels" "$name" "$bytes" "$iterations" >out.txt
}
result_kernel() { grep '^result' out.txt; }
also_kernel() { awk -v name="${1%-*}-loop" '/^seconds/ {print name, $2}' out.txt; }

# ---- Comparison and measurement

seconds() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.3f", b - a}'; }

# compare NAME A B: prints "same", or the largest relative difference of two numbers at the same place of the files A and B, or
# "differ" if words other than numbers differ.
compare() {
  if cmp -s "$2" "$3"; then echo same; return; fi
  paste -d '\n' "$2" "$3" | awk -v most="${tolerances[$1]:-0}" '
    function number(word) {return word ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/}
    NR % 2 {count = split($0, words); next}
    {if (NF != count) {print "differ"; bad = 1; exit}
     for (i = 1; i <= NF; ++i) if (words[i] != $i) {
       if (!number(words[i]) || !number($i)) {print "differ"; bad = 1; exit}
       size = words[i] < 0 ? -words[i] : words[i]; off = words[i] - $i; if (off < 0) off = -off
       if (size < 1) size = 1
       if (off / size > far) far = off / size}}
    END {if (!bad) {if (far <= most) printf "to %.0e\n", far; else printf "differ by %.0e\n", far}}'
}

run_once() {  # run_once NAME RANKS REPETITION WAY: prints lines of JSON
  local name=$1 ranks=$2 repetition=$3 way=$4 start end wrap=()
  [ "$way" = without ] || wrap=(env ${learned:+XDG_CACHE_HOME=$PWD/cache} "$quadrille" wrap $heap)
  [ "$way" = without ] || [ -n "$learned" ] || wrap+=(--no-learn)
  [ "$way" = without ] || [ "$heap" != alone ] || wrap=(env LD_PRELOAD="${quadrille%/bin/*}/lib/libquadrille-heap.so")
  local run=("run_$name") result=("result_$name") also=("also_$name")
  if is_kernel "$name"; then run=(run_kernel "$name") result=(result_kernel) also=(also_kernel "$name"); fi
  start=$EPOCHREALTIME
  "${run[@]}" "$ranks" ${wrap[@]+"${wrap[@]}"} 2>errors.txt || { cat errors.txt >&2; fail "$name ended with an error, $way the drop-in"; }
  end=$EPOCHREALTIME
  "${result[@]}" >"result_${way}_$repetition" || true
  [ -s "result_${way}_$repetition" ] || fail "$name has printed no result, $way the drop-in; see $PWD"
  jq -nc --arg name "$name" --argjson ranks "$ranks" --arg way "$way" --argjson s "$(seconds "$start" "$end")" '{$name, $ranks, $way, $s}'
  if declare -F "${also[0]}" >/dev/null; then
    "${also[@]}" | jq -Rc --argjson ranks "$ranks" --arg way "$way" 'split(" ") | {name: .[0], $ranks, $way, s: (.[1] | tonumber)}'
  fi
}

is_narrow() {  # is_narrow NAME FILE: is the interval of the ratio narrower than --until?
  jq -e -s --arg name "$1" --argjson until "$until" -L "$inputs/.." 'include "medians";
    map(select(.name == $name)) as $runs
    | [$runs[] | select(.way == "without").s] as $without | [$runs[] | select(.way == "with").s] as $with
    | ratio($without; $with) | .high - .low < $until' "$2" >/dev/null
}

measure() {  # measure NAME RANKS: prints lines of JSON
  local name=$1 ranks=$2 repetition way ways=(without with) prepare=prepare_$1
  if is_kernel "$name"; then prepare=prepare_kernel; fi
  mkdir -p "$folder/$name"
  cd "$folder/$name"
  "$prepare" >prepare.txt 2>&1 || { cat prepare.txt >&2; fail "The input of $name cannot be made"; }
  : >runs.json
  rm -rf cache
  for ((repetition = 0; repetition < ${learned:-0}; ++repetition)); do run_once "$name" "$ranks" learned with >/dev/null; done
  for ((repetition = 0; repetition < (repetitions > 25 ? repetitions : 25); ++repetition)); do
    if [ "$repetition" -ge "$repetitions" ] && { [ -z "$until" ] || is_narrow "$name" runs.json; }; then break; fi
    for way in "${ways[@]}"; do run_once "$name" "$ranks" "$repetition" "$way" >>runs.json; done
    ways=("${ways[1]}" "${ways[0]}")
  done
  cat runs.json
  local made=$repetition
  for ((repetition = 0; repetition < made; ++repetition)); do
    for way in without with; do
      jq -nc --arg name "$name" --argjson ranks "$ranks" --arg way "$way" --arg same "$(compare "$name" result_without_0 "result_${way}_$repetition")" '{$name, $ranks, $way, $same}'
    done
  done
  cd "$OLDPWD"
}

check_needs
removes=
[ -n "$folder" ] || { folder=$(mktemp -d) removes=1; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
own_control_group
trap '[ -z "$hosts" ] || "$scripts/hosts.sh" down; leave_control_group; [ -z "$removes" ] || rm -rf "$folder"' EXIT
if [ -n "$hosts" ]; then
  "$scripts/hosts.sh" can || exit 2
  slots=${hosts//,/ + }
  "$scripts/hosts.sh" up "$(wc -w <<<"${hosts//,/ }")" "$rate"
fi
: >"$folder/runs.json"
for each in "${wanted[@]}"; do
  name=${each%%:*} ranks=${each#*:}
  [ "$ranks" != "$each" ] || ranks=${usual_ranks[$name]:-4}
  [ -z "$hosts" ] || ranks=$((slots))
  talk "$name, $ranks ranks"
  measure "$name" "$ranks" >>"$folder/runs.json"
done
[ -z "$csv" ] || jq -r 'select(.s) | [.name, .ranks, .way, .s] | @csv' "$folder/runs.json" >"$csv"
jq -s -r -L bench -f bench/programs.jq "$folder/runs.json" | column -t -s "$(printf '\t')"
! jq -e -s 'any(.[]; (.same // "") | startswith("differ"))' "$folder/runs.json" >/dev/null
