# SPDX-License-Identifier: BSD-3-Clause
# Scripts that run a program bench/<name>_mpi.cpp under each MPI source this file, from the root of the repository. A script sets
# `program` and `all_ranks`, calls `read_words "$@"` and `begin`, then calls `run` for each MPI of `mpis` and each number of
# `all_ranks`.
source scripts/setup.sh
libraries='' folder=build/release/bench options=()

# A script with options of its own redefines this function, which sets `taken` to the number of words that it has used: 0 if the
# first word is not an option of the script.
own_option() { taken=0; }

# Reads [--mpi "openmpi mpich"] [--ranks "2 4"] [--folder FOLDER] and the script's own options. All other words are for the program.
# FOLDER holds the programs.
read_words() {
  local taken
  while [ $# -gt 0 ]; do
    case $1 in
      --mpi) libraries=$2; shift 2 ;;
      --ranks) all_ranks=$2; shift 2 ;;
      --folder) folder=$2; shift 2 ;;
      --help) sed -n '3,/^set/{/^set/d;s/^# \?//;p}' "$0"; exit 0 ;;
      *)
        own_option "$@"
        if [ "$taken" -gt 0 ]; then shift "$taken"; else options+=("$1"); shift; fi
        ;;
    esac
  done
}

begin() {
  local mpi
  find_mpis
  [ -z "$libraries" ] || read -ra mpis <<<"$libraries"
  for mpi in "${mpis[@]}"; do
    [ -x "$folder/${program}_$mpi" ] || fail "No $folder/${program}_$mpi: build the preset release with QUADRILLE_BENCH=ON first"
  done
  own_control_group
  trap leave_control_group EXIT
}

run() {  # run MPI RANKS [OPTIONS OF THE PROGRAM...]
  local mpi=$1 ranks=$2
  shift 2
  run_mpi "$mpi" "$ranks" "$folder/${program}_$mpi" ${options[@]+"${options[@]}"} "$@"
}
