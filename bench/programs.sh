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
repetitions=7 install='' folder='' csv='' hosts='' rate=100mbit mpi=openmpi until='' most_seconds='' learned='' heap='' wanted=()
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
source bench/programs/recipes.sh
source bench/alternately.sh

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
