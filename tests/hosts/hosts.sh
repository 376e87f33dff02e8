#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Simulates several hosts on one machine, to test what depends on nodes and on the network between them.
#
#   hosts.sh up N [RATE]   hosts node1 .. nodeN, and head for the launcher; links of RATE each way (100mbit, 1gbit; tc's words)
#   hosts.sh shape [RATE]  changes the rate of the links; without RATE they are as fast as the machine
#   hosts.sh status
#   hosts.sh down          ends all programs on the hosts, and the hosts
#
# A host has its own network, name, processes, IPC and /dev/shm. Its one link to a switch is the only way to other hosts. The
# machine's own network is not touched. Needs root, namespaces, iproute2 and util-linux; `hosts.sh can` says what is missing and
# exits with 1. enter.sh runs a command on a host, run.sh an MPI program on all hosts.
set -euo pipefail
state=/run/quadrille-hosts network=10.87.0

fail() { printf 'hosts.sh: %s\n' "$*" >&2; exit 2; }
names() { printf 'head\n'; local i; for ((i = 1; i <= $(cat "$state/count"); ++i)); do printf 'node%d\n' "$i"; done; }
pid() { cat "$state/$1.pid"; }
inside() { local name=$1; shift; nsenter -t "$(pid "$name")" --net -- "$@"; }

can() {
  local tool
  [ "$(id -u)" = 0 ] || { echo "several hosts on one machine need root"; return 1; }
  for tool in ip tc unshare nsenter; do
    command -v $tool >/dev/null || { echo "several hosts on one machine need $tool (packages iproute2, util-linux)"; return 1; }
  done
  unshare --net --uts --ipc --mount --pid --fork true 2>/dev/null || { echo "this system gives no namespaces"; return 1; }
  unshare --net bash -c 'ip link add near type veth peer name far && tc qdisc add dev near root tbf rate 1mbit burst 4kb limit 1mb' \
    2>/dev/null || { echo "this kernel has no veth links or no tbf queues"; return 1; }
}

without_inherited_files() {  # closes inherited files, because a host would keep, for example, another program's lock
  local file
  for file in /proc/$BASHPID/fd/*; do [ "${file##*/}" -le 2 ] || eval "exec ${file##*/}>&-"; done
  exec "$@"
}

start() {  # start NAME [FLAGS OF unshare]: starts a process that holds the host's namespaces
  local name=$1 holder i
  shift
  without_inherited_files setsid unshare --net --uts --mount --kill-child --fork "$@" bash -c '
    hostname "$1"; mount --bind "$2/hosts" /etc/hosts
    [ "$$" != 1 ] || mount -t tmpfs shm /dev/shm
    ip link set lo up; touch "$2/$1.ready"
    while :; do sleep 1000 & wait; done' holder "$name" "$state" </dev/null >/dev/null 2>&1 &
  holder=$!
  for ((i = 0; i < 500; ++i)); do [ ! -e "$state/$name.ready" ] || break; sleep 0.01; done
  [ -e "$state/$name.ready" ] || fail "$name does not start"
  echo $holder >"$state/$name.holder"
  tr -d ' ' <"/proc/$holder/task/$holder/children" >"$state/$name.pid"
}

hardware() { printf '02:00:00:00:00:%02x' "${1##*.}"; }  # hardware ADDRESS: the Ethernet address of the host with this IP address

plug() {  # plug NAME ADDRESS: connects the host's eth0 to the switch
  inside switch ip link add "port-$1" type veth peer name eth0 address "$(hardware "$2")" netns "$(pid "$1")"
  inside switch ip link set "port-$1" master bridge up
  inside "$1" ip addr add "$2/24" dev eth0
  inside "$1" ip link set eth0 up
}

introduce() {  # tells each host the others' Ethernet addresses, because the kernel learns at most 1,024 of them in all namespaces together
  local name other address
  for name in $(names); do
    while read -r address other; do
      [[ $other = "$name" || $other = localhost ]] || echo "neigh replace $address lladdr $(hardware "$address") dev eth0 nud permanent"
    done <"$state/hosts" | inside "$name" ip -batch -
  done
}

shape() {  # shape [RATE]: limits the links of the hosts in both directions, but not the head's link
  local name
  for name in $(names | grep -v head); do
    limit "$name" eth0 "${1:-}"
    limit switch "port-$name" "${1:-}"
  done
  echo "${1:-as fast as the machine}" >"$state/rate"
}

limit() {  # limit NAME DEVICE RATE: a token bucket for a burst of two full frames, the smallest burst that works
  inside "$1" tc qdisc del dev "$2" root 2>/dev/null || true
  [ -z "$3" ] || inside "$1" tc qdisc add dev "$2" root tbf rate "$3" burst 3100 limit 64mb || fail "no links of $3"
}

up() {
  local count=$1 i
  [[ $count =~ ^[1-9][0-9]?$ ]] || fail "up N: 1 to 99 hosts"
  [ ! -e $state ] || fail "there are hosts already; hosts.sh down ends them"
  can >&2 || exit 2
  mkdir -p $state
  echo "$count" >$state/count
  { echo "127.0.0.1 localhost"; echo "$network.254 head"; for ((i = 1; i <= count; ++i)); do echo "$network.$i node$i"; done; } >$state/hosts
  trap down ERR
  start switch
  inside switch ip link add bridge type bridge
  inside switch ip link set bridge up
  start head  # the head sees the machine's processes, so that it can enter the other hosts
  plug head $network.254
  for ((i = 1; i <= count; ++i)); do
    start "node$i" --ipc --pid --mount-proc
    plug "node$i" "$network.$i"
  done
  introduce
  shape "${2:-}"
}

down() {
  local holder
  for holder in "$state"/*.holder; do [ ! -e "$holder" ] || kill -9 -- "-$(cat "$holder")" 2>/dev/null || true; done
  rm -rf $state
}

case ${1:-} in
  up) shift; up "$@" ;;
  shape) [ -e $state ] || fail "there are no hosts; hosts.sh up N makes some"; shape "${2:-}" ;;
  status) [ -e $state ] && echo "$(cat $state/count) hosts, links $(cat $state/rate)" || echo "no hosts" ;;
  down) down ;;
  can) can ;;
  *) sed -n '3,12s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
