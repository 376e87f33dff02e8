#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# other_name_test.sh QUADRILLE MPIRUN PROGRAM LIBRARY: a program that is linked with MPICH's binary interface under the name of Intel MPI,
# libmpi.so.12, runs with the drop-in, and one MPI library is mapped. The library is a copy of MPICH with that name, without the
# functions of MPI 4, which older libraries of this interface lack.
set -u
quadrille=$1 mpirun=$2 program=$3 library=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; cat "$work/said"; exit 1; }
if ! readelf -d "$library" | grep -q 'SONAME.*\[libmpich\.so\.12\]'; then echo "skipped: this MPICH has another name"; exit 0; fi
export LC_ALL=C LD_LIBRARY_PATH=$work
renamed='s/libmpich\.so\.12\x00/libmpi.so.12\x00\x00\x00/g'
sed -E "$renamed; s/(MPI_[A-Z][a-z_]*)_c\\x00/\\1_X\\x00/g; s/MPI_Isendrecv/MPI_Xsendrecv/g" "$library" >"$work/libmpi.so.12"
sed "$renamed" "$program" >"$work/program" && chmod +x "$work/program"
for option in '' --report --record="$work/recording"; do
  QUADRILLE_ADMIT=1 LD_BIND_NOW=${option:+1} timeout 60 "$mpirun" -n 2 "$quadrille" wrap $option "$work/program" </dev/null >"$work/said" 2>&1 ||
    wrong "exit code with '$option'"
  [ "$(grep '^mapped: ' "$work/said")" = 'mapped: libmpi.so.12' ] || wrong "MPI libraries with '$option'"
  [ "$option" != --report ] || grep -q '^Quadrille ran 99 calls' "$work/said" || wrong 'our algorithms ran no calls'
done
echo good
