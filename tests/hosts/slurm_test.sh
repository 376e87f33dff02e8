#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# slurm_test.sh MPI QUADRILLE EVERY: the drop-in under Slurm, on two hosts with 2 ranks each. srun starts the ranks itself, by PMIx for
# Open MPI and by PMI-2 for MPICH, and mpirun starts them in a job of sbatch. Needs Debian's slurmctld, slurmd and munge. Only with
# QUADRILLE_LONG=1.
set -euo pipefail
source "$(dirname "$0")/begin.sh"
mpi=$1 quadrille=$2 every=$3
[ "${QUADRILLE_LONG:-0}" = 1 ] || skip "only with QUADRILLE_LONG=1"
for tool in slurmctld slurmd srun sbatch munged; do command -v $tool >/dev/null || skip "no $tool (packages slurmctld, slurmd, slurm-client, munge)"; done
begin_hosts 2
ended() { ! kill -0 $(cat "$work"/*.pid) 2>/dev/null; }
trap 'kill $(cat "$work"/*.pid) 2>/dev/null; until_true ended || true; "$here/hosts.sh" down; rm -rf "$work"' EXIT
chmod 711 "$work"
wrong() { echo "wrong: $*"; tail -n 30 "$work"/*.log "$work/said" 2>/dev/null; exit 1; }
until_true() { local i; for ((i = 0; i < 200; ++i)); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done; return 1; }

# One munged serves all hosts, because they have one file system. The hosts have the cores of this machine, and more by the setting
# config_overrides.
(umask 077; head -c 128 /dev/urandom >"$work/key")
mkdir -m 755 "$work/munge"
munged --force --socket "$work/munge/socket" --key-file "$work/key" --pid-file "$work/munged.pid" --seed-file "$work/seed" \
  --log-file "$work/munged.log"
cat >"$work/slurm.conf" <<END
ClusterName=emulated
SlurmctldHost=head
SlurmUser=root
AuthInfo=socket=$work/munge/socket
SlurmctldPort=6817
SlurmdPort=6818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.inner
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
NodeName=node[1-2] CPUs=2
PartitionName=all Nodes=ALL Default=YES State=UP
END
# PMIx makes a folder for each job. Hosts have a /tmp together, but each has a /dev/shm of its own.
echo PMIxCliTmpDirBase=/dev/shm >"$work/mpi.conf"
slurm() { "$here/enter.sh" "$1" "SLURM_CONF=$work/slurm.conf $(printf '%q ' "${@:2}")"; }
slurm head slurmctld || wrong 'slurmctld does not start'
for host in node1 node2; do slurm $host slurmd -N $host || wrong "slurmd does not start on $host"; done
is_idle() { [ "$(slurm head sinfo -h -o %T)" = idle ]; }
until_true is_idle || wrong "$(slurm head sinfo 2>&1)"

good() {  # good WHAT: did the program end well on both hosts, with the drop-in?
  [ "$(grep -c 'all as expected' "$work/said")" -ge 1 ] && grep -q '4 ranks on 2 hosts' "$work/said" || wrong "$1"
}
case $mpi in
  openmpi) interface=pmix settings=(env OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_mpi_yield_when_idle=1) ;;
  mpich) interface=pmi2 settings=(env UCX_NET_DEVICES=eth0 "LD_PRELOAD=$here/../../build/release/lib/mpich_shim.so") ;;
esac
slurm head timeout -k 5 100 srun "--mpi=$interface" -N 2 -n 4 "${settings[@]}" "$quadrille" wrap --report "$every" 4 3 >"$work/said" 2>&1 </dev/null ||
  wrong "srun --mpi=$interface"
good "srun --mpi=$interface"

case $mpi in
  openmpi) launcher='mpirun.openmpi --bind-to none --mca oob_tcp_if_include eth0' ;;
  mpich) launcher='mpirun.mpich -iface eth0 -bind-to none' ;;
esac
cat >"$work/job" <<END
#!/bin/bash
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
$launcher -n 4 ${settings[*]} $quadrille wrap --report $every 4 3
END
slurm head timeout -k 5 100 sbatch --wait -N 2 --ntasks-per-node 2 -o "$work/said" "$work/job" >/dev/null </dev/null || wrong 'mpirun in a job of sbatch'
good 'mpirun in a job of sbatch'
echo good
