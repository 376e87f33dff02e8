#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests of the Python module under mpi4py of MPICH: mpi4py_mpich.sh, after a build of release. Debian's mpi4py is built for Open
# MPI. So this fetches the source of Debian's package, by a list of its own that the system's apt does not see, and builds it for MPICH
# in build/mpi4py-mpich. Exits with 77, and the reason as the last line, if that is not possible.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
folder=$PWD/build/mpi4py-mpich module=$PWD/build/release/lib/quadrille/python

leave_out() { talk "$1"; exit 77; }

fetch_source() {  # once; verified by the archive's key
  local work options mirror suite
  [ ! -e "$folder/source" ] || return 0
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Identifier: Packages' 'Label: Debian' 2>/dev/null | head -n 1)
  [ -n "$mirror" ] || return 1
  suite=${mirror#* } work=$(mktemp -d)
  printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "${mirror% *}" "$suite" >"$work/sources.list"
  options=(-o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::lists="$work/lists"
           -o Dir::Cache="$work/cache" -o APT::Sandbox::User=)
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$folder"
  talk "Fetching the source of mpi4py"
  if (cd "$work" && apt-get "${options[@]}" update && apt-get "${options[@]}" source mpi4py) >"$folder/fetch.log" 2>&1; then
    mv "$work"/mpi4py-*/ "$folder/source"
  fi
  rm -rf "$work"
  [ -e "$folder/source" ]
}

build_mpi4py() {
  [ ! -e "$folder/packages/mpi4py" ] || return 0
  talk "Building mpi4py for MPICH"
  (cd "$folder/source" && rm -rf "$folder/made" &&
    quietly env CYTHON=cython3 MPICC="mpicc.mpich" /usr/bin/python3 setup.py build --build-lib="$folder/made" --mpicc=mpicc.mpich) &&
    mv "$folder/made" "$folder/packages"
}

[ -n "$(compgen -G "$module/quadrille/_quadrille.*.so")" ] || leave_out "there is no Python module in build/release"
[ -n "$(launcher_of mpich)" ] || leave_out "there is no MPICH"
mapfile -t lacking < <(missing dpkg-dev cython3 python3-dev python3-setuptools python3-numpy)
[ ${#lacking[@]} = 0 ] || { is_root && apt_install "${lacking[@]}"; } || leave_out "${lacking[*]} cannot be installed"
fetch_source || leave_out "the source of mpi4py cannot be fetched; $folder/fetch.log says why"
build_mpi4py || fail "mpi4py cannot be built for MPICH"
export PYTHONPATH=$module:$folder/packages PYTHONDONTWRITEBYTECODE=1 QUADRILLE_WISDOM=off
for ranks in 1 2 3 4; do
  timeout 120 bash -c "source scripts/setup.sh; run_mpi mpich $ranks /usr/bin/python3 tests/python/launched.py mpi4py"
done
