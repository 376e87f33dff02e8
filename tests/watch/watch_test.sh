#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# watch_test.sh [--fault NAME] QUADRILLE SOURCE LAUNCHER.. -- PROGRAM..: `quadrille wrap --watch` names the faults in SOURCE, which
# PROGRAM runs. LAUNCHER is such as `mpirun -n 4`. Two, or WATCH_AT_ONCE, run at a time. Without QUADRILLE_LONG=1, only the quick ones
# run; with --fault, only NAME. What it says is printed with --fault, and where something is missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
only=''
[ "$1" != --fault ] || { only=$2; shift 2; }
quadrille=$1 source=$2 limit=2 launch=()
shift 2
while [ "$1" != -- ]; do launch+=("$1"); shift; done
shift
program=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

stamped() { while IFS= read -r line; do printf '%s %s\n' "$EPOCHREALTIME" "$line"; done; }
of_try() { grep -lzs "^WATCH_TRY=$1\$" /proc/[0-9]*/environ | grep -o '[0-9]*'; }  # its processes, in whatever group they are

try() {  # try NAME KIND: prints whether the message names the fault
  local name=$1 kind=$2 said=$work/$1 reader group start=$SECONDS options=("--watch=$limit") missing
  [ "$kind" != check ] || options+=(--check)
  : >"$said"
  cd "$work" || return
  WATCH_TRY=$said setsid bash -c 'echo $$ >"$0.group"; "$@"; echo "exit code $?"' "$said" "${launch[@]}" "$quadrille" wrap \
    "${options[@]}" "${program[@]}" "$name" </dev/null 2>&1 | stamped >"$said" &
  reader=$!
  while kill -0 $reader 2>/dev/null && [ $((SECONDS - start)) -lt 20 ]; do
    sleep 0.2
    case $kind in quiet | late) continue ;; esac
    if grep -q '^[0-9.]* quadrille: ' "$said"; then sleep 0.8; break; fi  # the message has several lines
  done
  group=$(cat "$said.group")
  kill -TERM -- "-$group" 2>/dev/null
  for ((i = 0; i < 10; ++i)); do kill -0 $reader 2>/dev/null && sleep 0.1; done
  kill -KILL -- "-$group" $(of_try "$said") 2>/dev/null
  wait $reader 2>/dev/null
  if missing=$(/usr/bin/env python3 "$here/named.py" "$source" "$name" "$kind" $limit "$said"); then
    touch "$said.named"
    echo "ok: $name"
  else
    echo "not ok: $name: missing: $missing"
  fi
  { [ -z "$only" ] && [ -f "$said.named" ]; } || cat "$said"
}

tried=0
while read -r name _ kind quick; do
  [ "$kind" != launcher ] && [ "${only:-$name}" = "$name" ] || continue
  [ -n "$only" ] || [ "$quick" = quick ] || [ "${QUADRILLE_LONG:-0}" = 1 ] || continue
  [ $((++tried)) -le "${WATCH_AT_ONCE:-2}" ] || wait -n
  try "$name" "$kind" &
done < <("${program[@]}" list)
wait
named=$(find "$work" -name '*.named' | wc -l)
echo "$named of $tried faults named"
[ "$named" = "$tried" ] && [ "$tried" -gt 0 ]
