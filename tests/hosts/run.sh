#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh [--cyclic] MPI SLOTS COMMAND..: runs an MPI program on the hosts of hosts.sh, with settings for more ranks than cores. MPI is
# openmpi or mpich. SLOTS is the number of ranks on each host: 4 for all, or 1,2,3,4,5,6; --cyclic deals the ranks out to the hosts in
# turn, and needs equal SLOTS. Shared memory within a host, TCP between hosts.
set -euo pipefail
cyclic=''
[ "${1:-}" != --cyclic ] || { cyclic=1; shift; }
[ $# -ge 3 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd) mpi=$1
hosts=$(cat /run/quadrille-hosts/count 2>/dev/null) || { echo "run.sh: there are no hosts; hosts.sh up N makes some" >&2; exit 2; }
IFS=, read -ra slots <<<"$2"
shift 2
if [ ${#slots[@]} = 1 ]; then for ((i = 1; i < hosts; ++i)); do slots[i]=${slots[0]}; done; fi
[ ${#slots[@]} -le "$hosts" ] || { echo "run.sh: ${#slots[@]} hosts are asked for, and there are $hosts" >&2; exit 2; }

list=$(mktemp) ranks=0
trap 'rm -f "$list"' EXIT
for i in "${!slots[@]}"; do
  ranks=$((ranks + slots[i]))
  case $mpi in
    openmpi) echo "node$((i + 1)) slots=${slots[i]}" ;;
    mpich) echo "node$((i + 1)):${cyclic:-${slots[i]}}" ;;
    *) echo "run.sh: the MPI is openmpi or mpich" >&2; exit 2 ;;
  esac >>"$list"
done
if [ "$mpi" = openmpi ]; then
  launch=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --hostfile "$list" -n "$ranks" --bind-to none
    --mca plm_rsh_agent "$here/enter.sh" --mca plm_rsh_no_tree_spawn 1 --mca orte_keep_fqdn_hostnames 1
    --mca oob_tcp_if_include eth0 --mca btl_tcp_if_include eth0 --mca pml ob1 --mca btl self,vader,tcp --mca mpi_yield_when_idle 1 ${cyclic:+--map-by node})
else
  # Without the shim, MPICH's ranks do not yield their cores while they wait, and over TCP they may never end.
  launch=(mpirun.mpich -f "$list" -n "$ranks" -launcher ssh -launcher-exec "$here/enter.sh" -iface eth0 -bind-to none
    -genv UCX_NET_DEVICES eth0 -genv LD_PRELOAD "$here/../../build/release/lib/mpich_shim.so")
fi
"$here/enter.sh" head "$(printf '%q ' "${launch[@]}" "$@")"
