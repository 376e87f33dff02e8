#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# enter.sh HOST COMMAND..: runs a command on a host of hosts.sh, in place of ssh.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
while [[ ${1:-} == -* ]]; do shift; done  # skips options that launchers pass to ssh
host=$1 pid=$(cat "/run/quadrille-hosts/$1.pid") || { echo "enter.sh: there is no host $1; see hosts.sh" >&2; exit 2; }
shift
spaces=(--net --uts --mount)
[ "$host" = head ] || spaces+=(--ipc --pid)
exec nsenter -t "$pid" "${spaces[@]}" --wd="$PWD" -- /bin/sh -c "$*"
