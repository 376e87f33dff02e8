#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs to a temporary prefix, moves it, builds the examples against it by find_package and by pkg-config, runs them.
# Usage: install_test.sh BUILD_FOLDER EXAMPLES_FOLDER COMPILER GENERATOR
set -euo pipefail
build=$1 examples=$2 compiler=$3 generator=$4

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
step() { echo "== $*"; }

step "install, then move the prefix"
cmake --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/prefix"
prefix=$folder/prefix
"$prefix"/bin/quadrille --version
"$prefix"/bin/quadrille verify alltoall --algorithm bruck --ranks 5 --block 8B

# As in tests/mpi: root in a container, more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
run() {  # run RANKS COMMAND...: each rank has to print its line
  local ranks=$1 output
  shift
  output=$("$@")
  printf '%s\n' "$output"
  [ "$(grep -c '^rank [0-9]* got ' <<<"$output")" = "$ranks" ] || { echo "expected a line from each of $ranks ranks: $*" >&2; exit 1; }
}

step "find_package, threads"
cmake -G "$generator" -S "$examples" -B "$folder/threads" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON >/dev/null
cmake --build "$folder/threads" >/dev/null
run 4 "$folder/threads/alltoall_threads"

step "pkg-config, threads"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name quadrille.pc)")
export PKG_CONFIG_PATH
library_folder=$(pkg-config --variable=libdir quadrille)
read -ra flags < <(pkg-config --cflags --libs quadrille)
"$compiler" "$examples/alltoall_threads.cpp" "${flags[@]}" "-Wl,-rpath,$library_folder" -o "$folder/by_pkg_config"
run 4 "$folder/by_pkg_config"

for plug_in in "$library_folder"/quadrille/quadrille-*.so; do
  [ -e "$plug_in" ] || { echo "no plug-in, so no MPI example"; break; }
  mpi=${plug_in##*quadrille-} mpi=${mpi%.so}
  wrapper=$(command -v "mpicxx.$mpi" || command -v mpicxx)
  launcher=$(command -v "mpirun.$mpi" || command -v mpirun)
  step "find_package, $mpi"
  cmake -G "$generator" -S "$examples" -B "$folder/$mpi" -DCMAKE_PREFIX_PATH="$prefix" -DMPI_CXX_COMPILER="$wrapper" >/dev/null
  cmake --build "$folder/$mpi" >/dev/null
  run 2 "$launcher" -n 2 "$folder/$mpi/alltoall_mpi"
  run 3 "$launcher" -n 3 "$folder/$mpi/allreduce_mpi"
  step "pkg-config, $mpi"
  "$wrapper" "$examples/alltoall_mpi.cpp" "${flags[@]}" "-Wl,-rpath,$library_folder" -o "$folder/by_pkg_config_$mpi"
  run 2 "$launcher" -n 2 "$folder/by_pkg_config_$mpi"
done
