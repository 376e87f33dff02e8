# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests of this folder: messages, and programs under the launchers of MPI libraries.
wrong() { echo "$*" >&2; exit 1; }
step() { echo "== $*"; }

# As in tests/mpi: root in a container, more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none

run() {  # run RANKS COMMAND...: each rank has to print its line
  local ranks=$1 output
  shift
  output=$("$@")
  printf '%s\n' "$output"
  [ "$(grep -c '^rank [0-9]* got ' <<<"$output")" = "$ranks" ] || wrong "expected a line from each of $ranks ranks: $*"
}
