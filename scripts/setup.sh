# SPDX-License-Identifier: BSD-3-Clause
# Sourced by ./demo and ./check: installs what is missing on Debian 12. Sets `mpis` to the MPI libraries that are there.
# QUADRILLE_WITHOUT_MPI=1 in the environment: neither installs nor uses any MPI.

build_packages=(g++ cmake ninja-build pkg-config libfmt-dev nlohmann-json3-dev libboost-dev libcli11-dev libhwloc-dev libtomlplusplus-dev
                libpugixml-dev libgtest-dev libgmock-dev libbenchmark-dev)
mpi_packages=(openmpi-bin libopenmpi-dev mpich libmpich-dev)
further_packages=(gnuplot-nox libsimgrid-dev)  # for the plots of quadrille reproduce, and for quadrille-smpi
# For ./check --long.
clang_packages=(clang-14)
aarch64_tools=(g++-aarch64-linux-gnu qemu-user)
aarch64_libraries=(libfmt-dev libfmt9 libpugixml-dev libpugixml1v5 libgtest-dev libgmock-dev libhwloc-dev libhwloc15 libudev1)

talk() { printf '%s\n' "$*" >&2; }
fail() { talk "$*"; exit 2; }
is_root() { [ "$(id -u)" = 0 ]; }

missing() {  # those of the packages that are not installed
  local package
  for package; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || printf '%s\n' "$package"
  done
}

apt_install() {  # quietly, asking nothing; what apt says is shown where it fails
  local said
  said=$(mktemp)
  if DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >"$said" 2>&1 </dev/null ||
    { apt-get update >>"$said" 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >>"$said" 2>&1 </dev/null; }; then
    rm -f "$said"
  else
    tail -n 5 "$said" >&2
    rm -f "$said"
    return 1
  fi
}

# Unpacks the arm64 packages of the libraries below build/, for cmake/aarch64.cmake. To install them would take this architecture into
# the system's list and change those of its own packages that must be of the same version; to unpack them changes nothing, and needs
# no root.
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
      quietly apt-get "${options[@]}" download "${aarch64_libraries[@]/%/:arm64}" &&
      for package in *.deb; do dpkg -x "$package" "$target" || exit 1; done); then
    touch "$target/complete"
  fi
  rm -rf "$work"
  [ -e "$target/complete" ]
}

set_up() {
  command -v apt-get >/dev/null || { talk "This is no Debian system: nothing installed. Needed: the likes of ${build_packages[*]}."; find_mpis; return; }
  local build other=()
  mapfile -t build < <(missing "${build_packages[@]}")
  mapfile -t other < <(missing "${further_packages[@]}" $([ -n "${QUADRILLE_WITHOUT_MPI:-}" ] || printf '%s ' "${mpi_packages[@]}"))

  if [ ${#build[@]} -gt 0 ]; then
    is_root || fail "Missing packages. Run: sudo apt-get install ${build[*]} ${other[*]}"
    talk "Installing ${build[*]}"
    apt_install "${build[@]}" || fail "These packages cannot be installed: ${build[*]}"
  fi
  if [ ${#other[@]} -gt 0 ]; then
    if ! is_root; then
      talk "Going on without ${other[*]}. To install: sudo apt-get install ${other[*]}"
    else
      talk "Installing ${other[*]}"
      apt_install "${other[@]}" || talk "They cannot be installed; going on without."
    fi
  fi
  find_mpis
}

find_mpis() {
  local mpi
  mpis=()
  if [ -z "${QUADRILLE_WITHOUT_MPI:-}" ]; then
    for mpi in openmpi mpich; do
      if command -v "mpirun.$mpi" >/dev/null && command -v "mpicxx.$mpi" >/dev/null; then mpis+=("$mpi"); fi
    done
  fi
  [ ${#mpis[@]} -gt 0 ] || talk "No MPI is used: everything runs on threads."
}

configure() {  # configure PRESET
  local plug_ins=ON
  [ ${#mpis[@]} -gt 0 ] && [ "$1" = release ] || plug_ins=OFF
  quietly cmake --preset "$1" -D QUADRILLE_PLUG_INS=$plug_ins
}

build() {  # build PRESET [OPTIONS OF cmake --build...]
  local preset=$1
  shift
  quietly cmake --build --preset "$preset" -j "$(nproc)" "$@"
}

quietly() {  # the command's output is shown only where it fails
  local said
  said=$(mktemp)
  if "$@" >"$said" 2>&1; then rm -f "$said"; else
    cat "$said" >&2
    rm -f "$said"
    return 1
  fi
}

run_mpi() {  # run_mpi MPI RANKS COMMAND...: with the settings that suit this machine, root and more ranks than cores included
  local mpi=$1 ranks=$2 cores
  shift 2
  cores=$(nproc)
  if [ "$mpi" = openmpi ]; then
    local yield=0
    [ "$ranks" -le "$cores" ] || yield=1
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe \
      --bind-to core:overload-allowed --mca mpi_yield_when_idle $yield -n "$ranks" "$@"
  elif [ "$ranks" -le "$cores" ]; then
    mpirun.mpich -bind-to core -n "$ranks" "$@"
  else
    mpirun.mpich -bind-to core -n "$ranks" env LD_PRELOAD="$PWD/build/release/lib/mpich_shim.so" "$@"
  fi
}

# From here on this shell and what it starts are scheduled among themselves, where that is permitted: with more ranks than cores a
# rank that yields hands its core to another rank then. Else it may go to a stranger, or back to itself at once: MPICH starts each rank in
# a session of its own, and a kernel that groups by session (sched_autogroup_enabled) keeps a yield inside one. Who calls this calls
# leave_control_group in the end.
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
  talk "No control group of its own: other programs and MPICH's sessions will show in times with more ranks than cores."
}

leave_control_group() {
  local i
  [ -n "$control_group" ] || return 0
  echo $$ >"${control_group%/*}/cgroup.procs"
  for ((i = 0; i < 100; ++i)); do rmdir "$control_group" 2>/dev/null && return 0 || sleep 0.01; done  # what has been killed may take a moment
}
