#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Validates `quadrille project`: programs are recorded on this machine, projected to several hosts that this machine simulates
# (tests/hosts), and run there, as they are and by `quadrille wrap`. docs/reproduction/projection.md describes the method.
# Usage: projection.sh [--csv FILE] [--folder FOLDER] [--hosts "LAYOUT.."] [--rates "RATE.."] [--limit SECONDS] [--only STAGE]
#                      [--repetitions N] [--fit-time SECONDS] [PROGRAM...]
#        projection.sh --table FILE     prints the tables of docs/reproduction/projection.md from a file that --csv has written
#   default: all programs, layouts 6x4 (six hosts of 4 ranks), 1-6 (six hosts of 1 to 6) and 2x2, rates 100mbit and 500mbit,
#              5 repetitions
#   --folder   machine files, recordings, and a result file for each program, layout and rate. What is there is not made again: a
#              call that was ended at any time is gone on with by the same call. Default: build/bench/projection
#   --csv      where the results are put together. Default: projection.csv in the folder
#   --limit    starts no further step after so many seconds; call the script again to go on
#   --only     fit, record, measure or project. Default: all of them, in this order
#   --fit-time of each calibration, default 20s; comparing prices with times takes as long again
# PROGRAM may be decided (those on which decisions were made) or held-out (those of bench/programs/held_out.txt), for all of them.
# With SimGrid (Debian: libsimgrid-dev), its SMPI replays those recordings, too, whose collectives are on
# MPI_COMM_WORLD (its own failures are left out).
# Programs: those of bench/programs/steps.c, and fftw, pw and cp with packages libfftw3-mpi-dev and quantum-espresso(-data). Needs
# root, python3, Open MPI and a release build; let nothing else run meanwhile. A machine's speed may change: fit and run in one go.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
if [ "${1:-}" = --table ]; then
  [ $# = 2 ] && [ -f "$2" ] && head -n 1 "$2" | grep -q '^program,' || fail "--table needs a file that --csv has written"
  exec python3 bench/projection.py table "$2"
fi
csv='' folder=$PWD/build/bench/projection layouts='6x4 1-6 2x2' rates='100mbit 500mbit' limit=1000000 only='' repetitions=5
fit_time=20s wanted=()
while [ $# -gt 0 ]; do
  [[ $# -gt 1 || ! $1 =~ ^--(csv|folder|hosts|rates|limit|only|repetitions|fit-time)$ ]] ||
    fail "$1 needs a value; see bench/projection.sh --help"
  case $1 in
    --csv) csv=$(realpath "$2"); shift 2 ;;
    --folder) mkdir -p "$2"; folder=$(realpath "$2"); shift 2 ;;
    --hosts) layouts=$2; shift 2 ;;
    --rates) rates=$2; shift 2 ;;
    --limit) limit=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --repetitions) repetitions=$2; shift 2 ;;
    --fit-time) fit_time=$2; shift 2 ;;
    --help) sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0"; exit 0 ;;
    -*) fail "There is no option $1; see bench/projection.sh --help" ;;
    *) wanted+=("$1"); shift ;;
  esac
done
[[ $only =~ ^(|fit|record|measure|project)$ ]] || fail "--only is fit, record, measure or project, not $only"
mkdir -p "$folder/results"
: "${csv:=$folder/projection.csv}"
quadrille=$PWD/build/release/bin/quadrille inputs=$PWD/bench/programs scripts=$PWD/tests/hosts analyse="python3 $PWD/bench/projection.py"
[ -x "$quadrille" ] || fail "No $quadrille: run ./demo first"
export OMP_NUM_THREADS=1 LC_ALL=C QUADRILLE_WISDOM=off

# Of the programs of steps.c: bytes, steps, and microseconds of computing in a step.
declare -A steps=([pencils]="2048 230 1500" [sort]="512 120 2000" [transpose]="1024 170 2000" [kmers]="1024 100 3000"
                  [gradients]="32768 80 4000" [experts]="512 70 4000" [solver]="1024 100 2000" [parameters]="16384 80 3000"
                  [spectra]="256 230 1500")
decided=(pencils sort transpose kmers gradients experts fftw pw cp spectra solver parameters) held_out=()
while read -r program line; do steps[$program]=$line held_out+=("$program"); done < <(grep -v '^#' "$inputs/held_out.txt")
known=("${decided[@]}" "${held_out[@]}") asked=("${wanted[@]}") wanted=()
[ ${#asked[@]} -gt 0 ] || asked=(decided held-out)
for program in "${asked[@]}"; do
  case $program in
    decided) wanted+=("${decided[@]}") ;;
    held-out) wanted+=("${held_out[@]}") ;;
    *) [[ " ${known[*]} " = *" $program "* ]] || fail "There is no program $program here; there are ${known[*]}"
       wanted+=("$program") ;;
  esac
done
is_kernel() { [ -n "${steps[$1]:-}" ]; }

slots_of() {
  case $1 in
    6x4) echo 4,4,4,4,4,4 ;; 1-6) echo 1,2,3,4,5,6 ;; 2x2) echo 2,2 ;;
    *) fail "There is no layout $1; there are 6x4, 1-6 and 2x2" ;;
  esac
}
ranks_of() { local slots; slots=$(slots_of "$1"); echo $((${slots//,/+})); }
begins() { [ "$SECONDS" -lt "$limit" ] || { talk "The limit is reached; call again to go on"; exit 3; }; }

hosts_are='' rate_is=''
with_hosts() {  # with_hosts RATE: makes sure that the hosts are up, with links of this rate
  if [ -z "$hosts_are" ]; then
    "$scripts/hosts.sh" can || exit 2
    "$scripts/hosts.sh" up 6 "$1"
    hosts_are=up
  elif [ "$rate_is" != "$1" ]; then
    "$scripts/hosts.sh" shape "$1"
  fi
  rate_is=$1
}

prepare() {  # prepare PROGRAM: makes its inputs in the current folder
  [ ! -e prepared ] || return 0
  case $1 in
    fftw) mpicc.openmpi -O2 -o fft_alltoall "$inputs/fft_alltoall.c" -lfftw3_mpi -lfftw3 -lm ;;
    pw | cp)
      cp "$inputs/si1.in" "$inputs/cp.in" .
      zcat -f /usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF* >Si.pz-vbc.UPF ;;
    *) mpicc.openmpi -O2 -o steps "$inputs/steps.c" ;;
  esac
  touch prepared
}

words=()
command_of() {  # command_of PROGRAM: sets words
  case $1 in
    fftw) words=(./fft_alltoall 48 25 transposed) ;;
    pw) words=(pw.x -in si1.in) ;;
    cp) words=(cp.x -in cp.in) ;;
    *) read -ra words <<<"${steps[$1]}"; words=(./steps "$1" "${words[@]}") ;;
  esac
}

# ---- Stages

fit() {  # fit LAYOUT RATE: the machine
  local file=$folder/$1-$2.toml
  # Files of earlier versions do not say when the residuals were measured.
  ! grep -qs '^date = ' "$file" || return 0
  begins
  with_hosts "$2"
  talk "Fitting $1 at $2"
  "$scripts/run.sh" openmpi "$(slots_of "$1")" \
    "$quadrille" calibrate --executor hybrid --time "$fit_time" --json --output "$file.part" >"${file%.toml}.json" \
    2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
  mv "$file.part" "$file"
}

record() {  # record PROGRAM LAYOUT: all its ranks on this machine
  local ranks words
  ranks=$(ranks_of "$2")
  mkdir -p "$folder/$1" && cd "$folder/$1"
  if [ ! -e "recorded-$ranks.txt" ]; then
    begins
    prepare "$1"
    talk "Recording $1 with $ranks ranks"
    command_of "$1"
    rm -rf "recording-$ranks"
    run_mpi openmpi "$ranks" "$quadrille" wrap "--record=recording-$ranks" "${words[@]}" >out.txt 2>errors.txt ||
      { cat errors.txt >&2; fail "$1 cannot be recorded"; }
    mv out.txt "recorded-$ranks.txt"
  fi
  cd "$OLDPWD"
}

run_once() {  # run_once PROGRAM LAYOUT RATE SIDE
  local way=() words
  command_of "$1"
  # Ours is what the prices of the fitted machine choose, from the second call on. (The projection takes it from the fourth on.)
  if [ "$4" = ours ]; then
    way=(env QUADRILLE_ADMIT=1 "QUADRILLE_MACHINE=$folder/$2-$3.toml" "$quadrille" wrap "--report=full:report.txt")
  elif [ "$4" = profile ] || ! is_kernel "$1"; then
    way=("$quadrille" wrap --profile "--report=full:report.txt")
  fi
  rm -rf report.txt*
  timeout 120 "$scripts/run.sh" openmpi "$(slots_of "$2")" ${way[@]+"${way[@]}"} "${words[@]}" >out.txt 2>errors.txt ||
    { cat errors.txt >&2; fail "$1 ended with an error"; }
  $analyse measured "$1" "$2" "$3" "$4" out.txt report.txt.json >run.csv
  [ ! -e report.txt.json ] || cp report.txt.json "$4-$2-$3.json"
}

result_of() { echo "$folder/results/$1-$2-$3.csv"; }  # result_of PROGRAM LAYOUT RATE: its measured times, a line for each run

measure() {  # measure PROGRAM LAYOUT RATE
  local result run=0 side
  result=$(result_of "$1" "$2" "$3")
  [ ! -e "$result" ] || run=$(wc -l <"$result")
  [ "$run" -lt $((2 * repetitions)) ] || return 0
  begins
  mkdir -p "$folder/$1" && cd "$folder/$1"
  prepare "$1"
  with_hosts "$3"
  talk "Running $1 on $2 at $3"
  run_once "$1" "$2" "$3" profile  # warms up, and tells the times by collective
  for ((; run < 2 * repetitions; ++run)); do  # vendor, ours, ours, vendor, and so on
    case $((run % 4)) in 0 | 3) side=vendor ;; *) side=ours ;; esac
    run_once "$1" "$2" "$3" "$side"
    cat run.csv >>"$result"
  done
  cd "$OLDPWD"
}

project() {  # project PROGRAM LAYOUT RATE
  local ranks cores=() machine=$2-$3 result
  result=$(result_of "$1" "$2" "$3")
  ranks=$(ranks_of "$2")
  [ -s "$result" ] || return 0
  is_kernel "$1" || cores=(--total-cores "$(nproc)")
  "$quadrille" project "$folder/$1/recording-$ranks" --node-sizes "$(slots_of "$2")" --machine "$folder/$machine.toml" \
    ${cores[@]+"${cores[@]}"} --json >"$folder/$1/$machine.json" 2>/dev/null
  $analyse projected "$1" "$2" "$3" "$folder/$1/recorded-$ranks.txt" "$folder/$1/$machine.json" "$folder/$1/profile-$machine.json" \
    >"$result.projected.part"
  if command -v smpirun >/dev/null &&
    bench/smpi_replay.sh "$folder/$1/recording-$ranks" --node-sizes "$(slots_of "$2")" --machine "$folder/$machine.toml" \
      >"$folder/$1/$machine-smpi.json" 2>/dev/null; then
    $analyse smpi "$1" "$2" "$3" "$folder/$1/recorded-$ranks.txt" "$folder/$1/$machine-smpi.json" >>"$result.projected.part"
  fi
  mv "$result.projected.part" "$result.projected"
}

each_case() {  # each_case STAGE
  local layout rate program
  [ -z "$only" ] || [ "$only" = "$1" ] || return 0
  for layout in $layouts; do
    for rate in $rates; do
      if [ "$1" = fit ]; then fit "$layout" "$rate"; continue; fi
      for program in "${wanted[@]}"; do "$1" "$program" "$layout" "$rate"; done
    done
  done
}

own_control_group
trap '[ -z "$hosts_are" ] || "$scripts/hosts.sh" down; leave_control_group' EXIT
each_case fit
each_case record
each_case measure
each_case project
{ $analyse head; find "$folder/results" \( -name '*.csv' -o -name '*.projected' \) -print0 | sort -z | xargs -0 -r cat; } >"$csv"
[ -n "$only" ] || $analyse table "$csv"
