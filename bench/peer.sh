#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs MPICH's own tests (test/mpi of Debian's source package) under both MPIs, each test without and with the drop-in. Prints where
# the two results differ and how many runs pass. Exits with 1 if a test passes only without the drop-in.
# Usage: peer.sh [--mpi MPI] [--parts FOLDERS] [--only PATTERN] [--folder FOLDER] [--seconds N]
#   --parts    folders below test/mpi, separated by spaces; default coll. Others of interest:
#              'errors/coll errors/comm comm attr datatype topo threads/coll threads/comm spawn'
#   --only     only tests whose line in MPICH's file testlist matches, such as '^alltoall'
#   --folder   in which the sources are unpacked and built, and stay; default /tmp/quadrille_peer
#   --seconds  limit for one run, default 60
# The part coll takes 10 minutes. Needs a release build. The first run needs Debian's archive; it does not change the system's lists
# of packages.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/setup.sh
folder=/tmp/quadrille_peer parts=coll only=. seconds=60 wanted=
while [ $# -gt 0 ]; do
  case $1 in
    --mpi) wanted=$2; shift 2 ;;
    --parts) parts=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --folder) folder=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    *) fail "There is no option $1; see the head of bench/peer.sh" ;;
  esac
done
find_mpis
[ -z "$wanted" ] || mpis=("$wanted")
libraries=$PWD/build/release/lib preloading=$PWD/tests/mpi_face/trials/preloading.sh
most_ranks=8  # a test that asks for more ranks gets 8, because more take minutes on a small machine

fetch() {
  local apt=$folder/apt
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  sed -n 's/^URIs: *\(.*debian\)$/deb-src \1 bookworm main/p' /etc/apt/sources.list.d/debian.sources | head -n 1 >"$apt/sources.list"
  local options=(-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$apt/lists"
                 -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=)
  talk "Fetching the sources of mpich"
  (cd "$folder" && quietly apt-get "${options[@]}" update && quietly apt-get "${options[@]}" source --download-only mpich) ||
    fail "The sources of mpich cannot be had from Debian's archive"
  (cd "$folder" && tar xf mpich_*.orig.tar.* --wildcards '*/test/mpi/*')
}

make_tests() {  # make_tests MPI; a few tests do not compile with Open MPI, because they use functions of MPI 4
  local target=$folder/$1
  [ ! -e "$target/made" ] || return 0
  ls "$folder"/mpich-*/test/mpi/configure >/dev/null 2>&1 || fetch
  rm -rf "$target"
  cp -a "$folder"/mpich-*/test/mpi "$target"
  # Open MPI no longer has these functions of MPI 1.
  sed -i 's/\bMPI_Type_\(hvector\|hindexed\|struct\) *(/MPI_Type_create_\1(/' "$target"/dtpools/src/*.c
  talk "Building MPICH's tests with $1"
  (cd "$target" && quietly ./configure CC="mpicc.$1" MPICC="mpicc.$1" --with-mpi=/nonexistent --disable-fortran --disable-cxx)
  local part
  for part in dtpools util; do make -k -j "$(nproc)" -C "$target/$part" AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=: >"$target/make_$part.log" 2>&1 || true; done
  touch "$target/made"
}

make_part() {  # make_part MPI PART
  local target=$folder/$1
  [ ! -e "$target/$2/made" ] || return 0
  talk "Building MPICH's tests $2 with $1"
  make -k -j "$(nproc)" -C "$target/$2" AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=: >"$target/$2/make.log" 2>&1 || true
  touch "$target/$2/made"
}

run_once() {  # run_once MPI FOLDER RANKS PRELOAD PROGRAM ARGUMENTS...: prints "pass" if the test prints "No Errors", else "fail"
  local mpi=$1 place=$2 ranks=$3 preload=$4 said
  shift 4
  if [ "$mpi" = mpich ]; then preload=$libraries/mpich_shim.so${preload:+:$preload}; fi
  said=$(cd "$place" && timeout "$seconds" env QUADRILLE_WISDOM=off OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
    PRTE_MCA_hwloc_default_binding_policy=none "$(launcher_of "$mpi")" -n "$ranks" \
    "$preloading" "$preload" "$@" 2>&1 </dev/null) || { echo fail; return; }
  if grep -q 'No Errors' <<<"$said"; then echo pass; else echo fail; fi
}

worse=0
compare() {  # compare MPI PART
  local mpi=$1 part=$2 place=$folder/$1/$2 preload=$libraries/quadrille/quadrille-preload-$1.so total=0 without=0 with=0
  local program ranks rest word arguments before after
  [ -e "$preload" ] || fail "No $preload: build the preset release first"
  while read -r program ranks rest; do
    [ -n "$program" ] && [[ $program != \#* ]] && [[ "$program $ranks $rest" =~ $only ]] || continue
    [ -x "$place/$program" ] && [ -f "$place/$program" ] || continue
    [[ $rest != *mem=* ]] || continue
    [ "$ranks" -le "$most_ranks" ] || ranks=$most_ranks
    arguments=()
    for word in $rest; do [[ $word != arg=* ]] || arguments+=("${word#arg=}"); done
    before=$(run_once "$mpi" "$place" "$ranks" "" "./$program" ${arguments[@]+"${arguments[@]}"})
    after=$(QUADRILLE_ADMIT=1 run_once "$mpi" "$place" "$ranks" "$preload" "./$program" ${arguments[@]+"${arguments[@]}"})
    total=$((total + 1))
    [ "$before" = fail ] || without=$((without + 1))
    [ "$after" = fail ] || with=$((with + 1))
    if [ "$before" != "$after" ]; then printf '%s, %s/%s with %s ranks: %s without, %s with the drop-in\n' "$mpi" "$part" "$program" "$ranks" "$before" "$after"; fi
    if [ "$before $after" = "pass fail" ]; then worse=$((worse + 1)); fi
  done < <(grep -v '^ *$' "$place/testlist")
  [ "$total" -gt 0 ] || fail "No test of $part has been built for $mpi, or none matches: see $place/make.log"
  printf '%s, %s: %d runs, %d pass without, %d with the drop-in\n' "$mpi" "$part" "$total" "$without" "$with"
}

for mpi in "${mpis[@]}"; do
  make_tests "$mpi"
  for part in $parts; do
    make_part "$mpi" "$part"
    compare "$mpi" "$part"
  done
done
[ "$worse" = 0 ]
