#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes what users install, in build/packages; `package.sh --help` says how. It packs build/release, which it first brings up to date, so
# that nothing is compiled twice. This is sound: each target chooses its own optimisation (cmake/compile_cost.cmake), and Debian's flags
# are not added; tests are targets of their own; options that change objects are refused below; and the only thing that names the
# folder of the build, the search path for libraries, is removed from the packages and another one in the tarball.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh

usage='Usage: scripts/package.sh [deb | tarball]

Makes in build/packages what users install, from build/release, which is built first.

  deb      packages for this Debian (default). Install them by
             sudo apt-get install ./build/packages/*.deb
  tarball  quadrille-VERSION-MACHINE-glibcNUMBER.tar.xz, which runs where it is unpacked, on systems with that glibc or a newer one.
           It is linked with the C library of Debian 11, which apt fetches

Equal sources give equal files: the time in them is that of the last commit.'
[ $# -le 1 ] || fail "package.sh takes one word; see scripts/package.sh --help"
case ${1:-deb} in
  deb | tarball) ;;
  --help | -h) printf '%s\n' "$usage"; exit 0 ;;
  *) fail "package.sh: unknown word '$1'; the words are deb, tarball and --help" ;;
esac

version=$(sed -n 's/^project(quadrille VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
packages=$PWD/build/packages
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# Installs in FOLDER. The target uninstall must still remove what the user has installed, so its files stay as they were.
install_in() {  # install_in FOLDER
  local file kept
  kept=$(mktemp -d)
  rm -rf "$1"
  for file in install_manifest.txt install_prefix.txt; do mv "build/release/$file" "$kept" 2>/dev/null || true; done
  quietly cmake --install build/release --prefix "$1"
  rm -f build/release/install_{manifest,prefix}.txt
  mv "$kept"/* build/release 2>/dev/null || true
  rmdir "$kept"
}

build_usual() {
  local option mpi
  configure release "$@"
  for option in CMAKE_BUILD_TYPE=Release CMAKE_CXX_FLAGS= QUADRILLE_SANITIZE=; do
    grep -qE "^${option%%=*}:[A-Z]+=${option#*=}\$" build/release/CMakeCache.txt ||
      fail "Packages need a build with $option. Remove build/release, or run: cmake --preset release -D $option"
  done
  talk "Building; what is built already is kept"
  build release --target quadrille_installed
  for mpi in openmpi mpich; do
    [ -e "build/release/lib/quadrille/quadrille-$mpi.so" ] || fail "Packages are for both MPIs, but build/release has no plug-in for $mpi"
  done
}

make_packages() {
  local folder=$packages/quadrille-$version so_version=${version%.*} python
  build_usual
  python=build/release/lib/quadrille/python/quadrille/_quadrille$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
  [ -e "$python" ] || fail "The Python module is not for Debian's Python. Run: cmake --preset release -D Python_EXECUTABLE=/usr/bin/python3"
  talk "Packing"
  rm -rf "$folder" "$packages"/*.deb
  mkdir -p "$folder"
  install_in "$folder/installed/usr"
  cp -r packaging/debian "$folder/debian"
  sed -i "s/@SOVERSION@/$so_version/g" "$folder/debian/control"
  mv "$folder/debian/libquadrille.install" "$folder/debian/libquadrille$so_version.install"
  cat >"$folder/debian/changelog" <<END
quadrille ($version) unstable; urgency=medium

  * Version $version; what changed is in /usr/share/doc/quadrille-doc/CHANGELOG.md.

 -- $(sed -n 's/^Maintainer: //p' packaging/debian/control)  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
  (cd "$folder" && quietly dpkg-buildpackage --build=binary --no-sign -j"$(nproc)")
  ls -l "$packages"/*.deb
}

# Unpacks the C library of Debian 11 and the archives that the command has inside in build/packages/system. Nothing is installed.
unpack_system() {
  local target=$packages/system work options package link
  [ ! -e "$target/complete" ] || return 0
  talk "Fetching the C library of Debian 11"
  work=$(mktemp -d)
  mkdir -p "$work"/{lists/partial,cache/archives/partial,packages}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bullseye main" >"$work/sources"
  options=(-o Dir::Etc::sourcelist="$work/sources" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
           -o Dir::State::status=/dev/null -o APT::Sandbox::User=)
  rm -rf "$target"
  mkdir -p "$target"
  (cd "$work/packages" && quietly apt-get "${options[@]}" update &&
    quietly apt-get "${options[@]}" download libc6 libc6-dev libhwloc-dev libdw-dev libelf-dev liblzma-dev libbz2-dev \
      libbz2-1.0 zlib1g-dev) ||
    fail "The packages of Debian 11 cannot be fetched, for the reason above"
  for package in "$work"/packages/*.deb; do dpkg -x "$package" "$target"; done
  while read -r link; do ln -snfr "$target$(readlink "$link")" "$link"; done < <(find "$target" -type l -lname '/*')  # else to this system
  rm -rf "$work"
  touch "$target/complete"
}

make_tarball() {
  local folder package glibc name
  unpack_system
  build_usual -D QUADRILLE_PORTABLE_SYSTEM="$packages/system"
  build release --target quadrille_tarball
  talk "Packing"
  folder=$packages/tarball/quadrille-$version
  install_in "$folder"
  rm -rf "$folder"/{bin,include,libexec} "$folder"/lib/{cmake,pkgconfig,lib*} "$folder"/lib/quadrille/{python,*.so}
  cp -a build/release/portable/. "$folder"
  rm "$folder"/lib/lib*.so  # for compilers
  mkdir "$folder/share/doc/quadrille/copyright"
  for package in "$packages"/system/usr/share/doc/{libhwloc,libdw,libelf,liblzma,libbz2,zlib1g}-dev /usr/share/doc/{libfmt-dev,libpugixml-dev,gcc-12-base}; do
    cp -L "$package/copyright" "$folder/share/doc/quadrille/copyright/$(basename "$package")"
  done
  glibc=$(find build/release/portable -type f -exec objdump -T {} + | grep -o 'GLIBC_2\.[0-9]*' | sort -Vu | tail -n 1)
  name=quadrille-$version-$(uname -m)-glibc${glibc#GLIBC_}.tar.xz
  rm -f "$packages"/quadrille-*.tar.xz
  tar --create --directory "$packages/tarball" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u+rw,go=rX --format=gnu "quadrille-$version" | xz -9 >"$packages/$name"
  ls -l "$packages/$name"
}

[ -z "${QUADRILLE_WITHOUT_MPI:-}" ] || fail "Packages are for both MPIs; unset QUADRILLE_WITHOUT_MPI"
set_up "${build_packages[@]}" "${openmpi_packages[@]}" "${mpich_packages[@]}" debhelper dh-python dpkg-dev libdw-dev pybind11-dev python3-dev xz-utils --
case ${1:-deb} in
  deb) make_packages ;;
  tarball) make_tarball ;;
esac
