# SPDX-License-Identifier: BSD-3-Clause
# Sourced by ./demo and ./check: installs missing packages on Debian 12. Sets `mpis` to the installed MPI libraries.
# QUADRILLE_WITHOUT_MPI=1 in the environment: neither installs nor uses any MPI.

build_packages=(g++ cmake ninja-build pkg-config libfmt-dev nlohmann-json3-dev libboost-dev libcli11-dev libhwloc-dev libtomlplusplus-dev
                libpugixml-dev libexpected-dev libprotozero-dev)
openmpi_packages=(openmpi-bin libopenmpi-dev)
mpich_packages=(mpich libmpich-dev)
# Further packages for ./check. Tests that need a missing optional package are skipped, with the reason.
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev)
# The Python module is built where python3-dev and pybind11-dev are. The watcher names lines where libdw-dev is. z3 checks proofs.
optional_test_packages=(protobuf-compiler libsimgrid-dev iproute2 jq zsh fish gfortran python3-mpi4py python3-dev pybind11-dev python3-numpy
                        python3-nbclient python3-ipykernel libdw-dev z3 abigail-tools)
# For ./check --long.
clang_packages=(clang-14)
aarch64_tools=(g++-aarch64-linux-gnu qemu-user)
aarch64_libraries=(libfmt-dev libfmt9 libpugixml-dev libpugixml1v5 libgtest-dev libgmock-dev libhwloc-dev libhwloc15 libudev1)
aarch64_headers=(libexpected-dev)  # the package for all architectures

project_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

talk() { printf '%s\n' "$*" >&2; }
fail() { talk "$*"; exit 2; }
is_root() { [ "$(id -u)" = 0 ]; }

missing() {  # missing PACKAGES...: prints those that are not installed
  local package
  for package; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || printf '%s\n' "$package"
  done
}

apt_install() {  # apt_install PACKAGES...: installs without questions; shows apt's last lines only if it fails
  local said
  talk "Installing $*"
  said=$(mktemp)
  if DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >"$said" 2>&1 </dev/null ||
    { apt-get update >>"$said" 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >>"$said" 2>&1 </dev/null; }; then
    rm -f "$said"
  else
    tail -n 5 "$said" >&2
    ! grep -qE 'Could not resolve|Temporary failure resolving|Unable to connect|Could not connect' "$said" ||
      talk "The servers of packages cannot be reached. Connect the network, or set http_proxy, and start again."
    explain_full_disk "$said"
    rm -f "$said"
    return 1
  fi
}

explain_full_disk() {  # explain_full_disk OUTPUT
  ! grep -q 'No space left on device' "$1" || talk "The disk is full. Free some space and start again; what is built is kept."
}

# Unpacks the libraries' arm64 packages in build/aarch64-packages, for cmake/aarch64.cmake. They are not installed, because that would add
# an architecture to the system and could change the versions of its own packages. Unpacking changes nothing and needs no root.
unpack_aarch64() {
  local target=$PWD/build/aarch64-packages work options package
  [ ! -e "$target/complete" ] || return 0
  work=$(mktemp -d)
  options=(-o APT::Architectures::="$(dpkg --print-architecture)" -o APT::Architectures::=arm64 -o Dir::State::lists="$work/lists"
           -o Dir::Cache="$work/cache" -o APT::Sandbox::User=)
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/packages"
  talk "Fetching ${aarch64_libraries[*]} for arm64"
  rm -rf "$target"
  if mkdir -p "$target" && (cd "$work/packages" && quietly apt-get "${options[@]}" update &&
      quietly apt-get "${options[@]}" download "${aarch64_libraries[@]/%/:arm64}" "${aarch64_headers[@]}" &&
      for package in *.deb; do dpkg -x "$package" "$target" || exit 1; done); then
    touch "$target/complete"
  fi
  rm -rf "$work"
  [ -e "$target/complete" ]
}

# set_up NEEDED... -- OPTIONAL...: installs these packages, and an MPI if there is none. Ends the script if a needed package cannot be
# installed.
set_up() {
  command -v apt-get >/dev/null || { talk "No apt-get here: nothing installed. Needed are packages like ${build_packages[*]}."; find_mpis; return; }
  local needed=() optional=()
  while [ "$1" != -- ]; do needed+=("$1"); shift; done
  mapfile -t needed < <(missing "${needed[@]}")
  find_mpis
  [ ${#mpis[@]} -gt 0 ] || [ -n "${QUADRILLE_WITHOUT_MPI:-}" ] || set -- "$@" "${openmpi_packages[@]}"
  mapfile -t optional < <(missing "${@:2}")

  if ! is_root; then
    [ ${#needed[@]} = 0 ] || fail "Missing packages. Run: sudo apt-get install ${needed[*]} ${optional[*]}"
    [ ${#optional[@]} = 0 ] || talk "Continuing without ${optional[*]}. To install them: sudo apt-get install ${optional[*]}"
  else
    [ ${#needed[@]} = 0 ] || apt_install "${needed[@]}" || fail "These packages cannot be installed: ${needed[*]}"
    [ ${#optional[@]} = 0 ] || apt_install "${optional[@]}" || talk "These packages cannot be installed; continuing without: ${optional[*]}"
  fi
  find_mpis
  [ ${#mpis[@]} -gt 0 ] || talk "No MPI is used: everything runs on threads."
}

find_mpis() {
  local mpi
  mpis=()
  [ -z "${QUADRILLE_WITHOUT_MPI:-}" ] || return 0
  for mpi in openmpi mpich; do
    if [ -n "$(launcher_of "$mpi")" ]; then mpis+=("$mpi"); fi
  done
}

launcher_of() {  # launcher_of MPI: prints the name of its mpirun, or nothing if that or the compiler wrapper is missing
  local names
  if command -v "mpirun.$1" >/dev/null && command -v "mpicxx.$1" >/dev/null; then echo "mpirun.$1"; return; fi  # as Debian names them
  type -P mpirun mpicxx >/dev/null || return 0
  case $1 in openmpi) names='Open MPI|OpenRTE' ;; mpich) names='HYDRA|MPICH' ;; esac
  if "$(type -P mpirun)" --version 2>&1 | grep -qE "$names"; then type -P mpirun; fi
}

configure() {  # configure PRESET [OPTIONS OF cmake...]
  local plug_ins=ON
  [ ${#mpis[@]} -gt 0 ] && [ "$1" = release ] || plug_ins=OFF  # the other presets are for the library and its unit tests
  quietly cmake --preset "$1" -D QUADRILLE_PLUG_INS=$plug_ins "${@:2}"
}

build() {  # build PRESET [OPTIONS OF cmake --build...]
  with_progress cmake --build --preset "$1" -j "$(nproc)" "${@:2}"
}

quietly() {  # shows the command's output only if it fails
  local said
  said=$(mktemp)
  if "$@" >"$said" 2>&1; then rm -f "$said"; else
    cat "$said" >&2
    explain_full_disk "$said"
    rm -f "$said"
    return 1
  fi
}

# Shows how far the command is and how long it will take: on one line of a terminal, elsewhere on a line every ten seconds. Shows all that
# the command prints if it fails.
with_progress() {
  local said
  said=$(mktemp)
  if "$@" 2>&1 | tee "$said" | progress_of_steps >&2; then rm -f "$said"; else
    cat "$said" >&2
    explain_full_disk "$said"
    rm -f "$said"
    return 1
  fi
}

# Reads lines such as "[12/96] Building ..." of ninja, or ctest's, and prints how many steps are done. The time left follows from how long
# the steps so far have taken.
progress_of_steps() {
  local line done total seconds left now began=$SECONDS next=$SECONDS every=10 end='\n'
  if [ -t 2 ]; then every=1 end='\033[K\r'; fi
  while IFS= read -r line; do
    [[ $line =~ ^\[?\ *([0-9]+)/\ *([0-9]+) ]] || continue
    done=$((10#${BASH_REMATCH[1]})) total=$((10#${BASH_REMATCH[2]})) now=$SECONDS
    [ "$now" -ge "$next" ] || continue
    next=$((now + every)) seconds=$((now - began)) left=
    if [ "$seconds" -ge 10 ] && [ "$done" -gt 0 ]; then left=", $(rounded_time $((seconds * (total - done) / done))) left"; fi
    printf "%s of %s steps, %s s%s$end" "$done" "$total" "$seconds" "$left"
  done
  if [ -t 2 ]; then printf '\033[K'; fi
}

rounded_time() {  # rounded_time SECONDS
  if [ "$1" -lt 90 ]; then echo "about $((($1 + 9) / 10 * 10)) s"; else echo "about $((($1 + 30) / 60)) min"; fi
}

# run_mpi MPI RANKS COMMAND...: with the settings for this machine, for root and for more ranks than cores. If `preloaded` is set, each
# rank preloads this library.
run_mpi() {
  local mpi=$1 ranks=$2 launcher cores
  shift 2
  launcher=$(launcher_of "$mpi")
  cores=$(nproc)
  if [ "$mpi" = openmpi ]; then
    local yield=0
    [ "$ranks" -le "$cores" ] || yield=1
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$launcher" --oversubscribe \
      --bind-to core:overload-allowed --mca mpi_yield_when_idle $yield -n "$ranks" env ${preloaded:+LD_PRELOAD="$preloaded"} "$@"
  elif [ "$ranks" -le "$cores" ]; then
    "$launcher" -bind-to core -n "$ranks" env ${preloaded:+LD_PRELOAD="$preloaded"} "$@"
  else
    "$launcher" -bind-to core -n "$ranks" env LD_PRELOAD="$project_folder/build/release/lib/mpich_shim.so${preloaded:+:$preloaded}" "$@"
  fi
}

# Moves this shell and all programs that it starts to a control group of their own, if that is permitted. With more ranks than cores, a rank that
# yields then gives its core to another rank. Otherwise the core may go to another program, or back to the same rank: MPICH starts each
# rank in a session of its own, and a kernel that groups processes by session (sched_autogroup_enabled) yields only within a session. The
# caller must call leave_control_group in the end.
own_control_group() {
  local root
  for root in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
    control_group=$root/quadrille_$$
    if [ -e "$root/cpu.shares" ] || grep -qw cpu "$root/cgroup.subtree_control" 2>/dev/null; then
      mkdir "$control_group" 2>/dev/null || continue
      if echo $$ 2>/dev/null >"$control_group/cgroup.procs"; then
        return 0
      fi
      rmdir "$control_group"
    fi
  done
  control_group=
  talk "No control group of its own: with more ranks than cores, other programs and MPICH's sessions will influence the times."
}

leave_control_group() {
  local i
  [ -n "$control_group" ] || return 0
  echo $$ >"${control_group%/*}/cgroup.procs"
  for ((i = 0; i < 100; ++i)); do rmdir "$control_group" 2>/dev/null && return 0 || sleep 0.01; done  # killed processes take a moment to end
}
