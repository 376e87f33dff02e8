#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs to an empty prefix, and uses the package as programs in C and Fortran do: compiled and linked in one line by pkg-config, and
# by CMake in projects without C++; run on threads, by `quadrille run` and by each mpirun.
# Usage: c_test.sh BUILD_FOLDER EXAMPLES_FOLDER GENERATOR
set -euo pipefail
build=$1 examples=$2 generator=$3
source "$(dirname "$0")/launching.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
cmake --install "$build" --prefix "$prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name quadrille-c.pc)")
export PKG_CONFIG_PATH
cd "$folder"

export QUADRILLE_WISDOM=off

step "pkg-config, C without MPI"
for compiler in gcc clang; do
  if ! command -v $compiler >/dev/null; then echo "skipped: no $compiler"; continue; fi
  for program in transpose sample_sort conjugate_gradients using; do
    $compiler -std=c99 -Wall -Wextra -Werror "$examples/c/$program.c" $(pkg-config --cflags --libs quadrille-c) -lm -o $program
    ./$program
  done
done
"$prefix/bin/quadrille" run -n 3 ./transpose
if [ -e "$(gcc -print-file-name=libpugixml.a)" ]; then
  gcc -static "$examples/c/transpose.c" $(pkg-config --static --cflags --libs quadrille-c) -o static 2>/dev/null  # warnings of dlopen
  ./static
else
  echo "skipped: no archive of pugixml for a static program"
fi

step "CMake, C without C++"
mkdir project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(in_c LANGUAGES C)
find_package(quadrille REQUIRED)
add_executable(sample_sort sample_sort.c)
target_link_libraries(sample_sort PRIVATE quadrille::c)
if(MPI_NAME)
  find_package(MPI REQUIRED COMPONENTS C)
  add_executable(alltoall_mpi alltoall_mpi.c)
  target_link_libraries(alltoall_mpi PRIVATE quadrille::${MPI_NAME} MPI::MPI_C)
endif()
if(FORTRAN)
  enable_language(Fortran)
  find_package(MPI REQUIRED COMPONENTS Fortran)
  add_executable(alltoall_fortran alltoall_mpi.f90)
  target_link_libraries(alltoall_fortran PRIVATE quadrille::fortran quadrille::${MPI_NAME} MPI::MPI_Fortran)
endif()
END
cp "$examples"/c/*.c "$examples"/fortran/*.f90 project
cmake -G "$generator" -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build project/build >/dev/null
project/build/sample_sort

# The heap: a large block lies in a file in memory, whether the library is linked by pkg-config or CMake, or preloaded.
step "the heap"
cat >project/large.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char line[500], *block = malloc(1 << 20);
  FILE* const in = fopen("/proc/self/maps", "r");
  unsigned long begin, end;
  while (fgets(line, sizeof line, in))
    if (sscanf(line, "%lx-%lx", &begin, &end) == 2 && (unsigned long)block >= begin && (unsigned long)block < end)
      return strstr(line, "memfd:quadrille") == NULL;
  return 2;
}
END
gcc project/large.c $(pkg-config --libs quadrille-heap) -o large
./large || wrong 'linked by pkg-config'
cat >>project/CMakeLists.txt <<'END'
add_executable(large large.c)
target_link_libraries(large PRIVATE quadrille::heap)
END
cmake project/build >/dev/null
cmake --build project/build --target large >/dev/null
project/build/large || wrong 'linked by CMake'
gcc project/large.c -o large
if ./large; then wrong 'shared without the library'; fi
"$prefix/bin/quadrille" run -n 1 --heap ./large || wrong preloaded

# A program that calls MPI's own signatures.
cat >signatures.c <<'END'
#include <stdio.h>
#include "quadrille/mpi_collectives.h"
int main(int argc, char** argv) {
  int me, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  quadrille_allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d got %d\n", me, sum);
  MPI_Finalize();
  return 0;
}
END

for package in "$PKG_CONFIG_PATH"/quadrille-*.pc; do
  mpi=${package##*quadrille-} mpi=${mpi%.pc}
  [[ $mpi != c && $mpi != heap ]] || continue
  wrapper=$(command -v "mpicc.$mpi" || command -v mpicc)
  launcher=$(command -v "mpirun.$mpi" || command -v mpirun)
  step "pkg-config, C, $mpi"
  "$wrapper" "$examples/c/alltoall_mpi.c" $(pkg-config --cflags --libs "quadrille-$mpi") -o alltoall
  run 2 "$launcher" -n 2 ./alltoall
  run 4 "$launcher" -n 4 ./alltoall
  "$wrapper" signatures.c $(pkg-config --cflags --libs "quadrille-$mpi") -o signatures
  for other in "$PKG_CONFIG_PATH"/quadrille-*.pc; do  # a program does not link with the package of another MPI library
    other=${other##*quadrille-} other=${other%.pc}
    [[ $other != c && $other != heap && $other != "$mpi" ]] || continue
    for source in signatures.c "$examples/c/alltoall_mpi.c"; do
      if "$wrapper" "$source" $(pkg-config --cflags --libs "quadrille-$other") -o other 2>errors; then wrong "linked with quadrille-$other"; fi
      grep -q "undefined reference to .quadrille_package_$mpi" errors || wrong "$(cat errors)"
    done
  done
  run 3 "$launcher" -n 3 ./signatures
  "$launcher" -n 3 ./transpose

  fortran=$(command -v "mpif90.$mpi" || true)
  step "pkg-config, Fortran, $mpi"
  if [ -n "$fortran" ]; then
    "$fortran" $(pkg-config --variable=fortran "quadrille-$mpi") "$examples/fortran/alltoall_mpi.f90" \
      $(pkg-config --cflags --libs "quadrille-$mpi") -o in_fortran
    run 3 "$launcher" -n 3 ./in_fortran
    for other in "$PKG_CONFIG_PATH"/quadrille-*.pc; do  # the package of another MPI library is refused when the program runs
      other=${other##*quadrille-} other=${other%.pc}
      [[ $other != c && $other != heap && $other != "$mpi" ]] || continue
      "$fortran" $(pkg-config --variable=fortran "quadrille-$mpi") "$examples/fortran/alltoall_mpi.f90" \
        $(pkg-config --cflags --libs "quadrille-$other") -o wrong_package
      if "$launcher" -n 2 ./wrong_package >errors 2>&1; then wrong "ran with quadrille-$other"; fi
      grep -q "but the program is linked with quadrille-$other; link it with quadrille-$mpi" errors || wrong "$(cat errors)"
    done
  else
    echo "skipped: no Fortran compiler for $mpi"
  fi

  step "CMake, $mpi"
  cmake -G "$generator" -S project -B "project/$mpi" -DCMAKE_PREFIX_PATH="$prefix" -DMPI_NAME="$mpi" -DMPI_C_COMPILER="$wrapper" \
    ${fortran:+-DFORTRAN=ON -DMPI_Fortran_COMPILER="$fortran"} >/dev/null
  cmake --build "project/$mpi" >/dev/null
  run 2 "$launcher" -n 2 "project/$mpi/alltoall_mpi"
  if [ -n "$fortran" ]; then run 2 "$launcher" -n 2 "project/$mpi/alltoall_fortran"; fi
done
