#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the tarball, twice, and uses it in bare systems: an old one and a newer one, each with one MPI.
# Usage: tarball_test.sh CHECKOUT
set -euo pipefail
source "$(dirname "$0")/roots.sh"
cd "$1"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Programs of this test are linked with the old C library, too.
system=$PWD/build/packages/system machine=$(gcc -print-multiarch)
with_old_system=(--sysroot="$system" -B"$system/usr/lib/$machine" -L"$system/usr/lib/$machine" -idirafter /usr/include
                 -idirafter "/usr/include/$machine" -Wl,--allow-shlib-undefined)

step "two builds are equal"
scripts/package.sh tarball
tarball=$(echo build/packages/quadrille-*.tar.xz)
mv "$tarball" "$folder"
rm -r build/release/portable  # links again
scripts/package.sh tarball
cmp "$tarball" "$folder/${tarball##*/}" || wrong "the same sources give two tarballs"
[ "$(stat -c %s "$tarball")" -le 12000000 ] || wrong "the tarball has more than 12 MB"

step "its files need only what each system has"
tar --extract --directory "$folder" --file "$tarball"
name=$(cd "$folder" && echo quadrille-*[0-9])
[ -z "$(find "$folder/$name" -name 'libstdc++*' -o -name 'libgcc*' -o -name '_quadrille.*' -o -name '*.a')" ] || wrong "it has a file of a compiler or of Python"
find "$folder/$name" -type f \( -name '*.so*' -o -path '*/bin/*' -o -path '*/libexec/*' \) -exec readelf -d {} + >"$folder/dynamic"
needed=$(sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' "$folder/dynamic" | sort -u | grep -vE '^(libquadrille(-.*)?|lib(c|m|dl|rt|pthread|gcc_s|mpi|mpich)|ld-linux-x86-64)\.so\.[0-9.]+$' || true)
[ -z "$needed" ] || wrong "needed, and not on each system: $needed"
[ -z "$(sed -nE 's/.*(RPATH|RUNPATH).*\[(.*)\]/\2/p' "$folder/dynamic" | tr : '\n' | grep -vF '$ORIGIN/')" ] || wrong "a search path names a folder of the build"

step "exceptions are counted in one place"
# This program has a library of C++ inside, as the programs of the tarball have.
g++ -std=c++20 -Iinclude "$(dirname "$0")/exceptions.cpp" "$folder/$name"/lib/libquadrille.so.* "${with_old_system[@]}" -static-libstdc++ \
  build/release/CMakeFiles/quadrille_old_system.dir/packaging/old_system.cpp.o -Wl,-rpath,"$folder/$name/lib" -o "$folder/exceptions"
"$folder/exceptions"

in_bare_system() {  # in_bare_system SUITE MPI
  local root=$folder/$1-$2 mpi_packages=openmpi-bin
  [ "$2" = openmpi ] || mpi_packages=mpich
  step "Debian $1 with $2"
  fresh_root "$root" "$1" $mpi_packages
  tar --extract --directory "$root/root" --file "$tarball"
  sums "$2" "$root/root/sums" "${with_old_system[@]}" -lpthread
  inside "$root" bash -c "cd /root && mpirun -n 4 $name/bin/quadrille wrap --report=summary:mine.txt ./sums" >"$folder/said" 2>&1 || { cat "$folder/said"; wrong "the program failed"; }
  [ "$(grep -c 'is good' "$folder/said")" = 4 ] || wrong "the results are wrong: $(cat "$folder/said")"
  grep -q Alltoall "$root/root/mine.txt" || wrong "there is no report: $(cat "$root/root/mine.txt")"
  grep "^mapped .*/$name/" "$folder/said" || wrong "nothing of the tarball is mapped"
  [ -z "$(grep "^mapped .*/$name/" "$folder/said" | grep -v '/lib\(/quadrille\)\?/\(lib\)\?quadrille')" ] || wrong "more than Quadrille of the tarball is mapped"
  inside "$root" "/root/$name/bin/quadrille" verify alltoall --algorithm bruck --ranks 5 --block 8B >/dev/null
  inside "$root" "/root/$name/bin/quadrille" reproduce --list >/dev/null
}
in_bare_system bullseye openmpi
# Not Debian 11's MPICH 3.4: it lacks MPI 4's functions for large counts, which the drop-in names.
in_bare_system bookworm openmpi
in_bare_system bookworm mpich
