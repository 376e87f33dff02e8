#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# learning_test.sh QUADRILLE MPIRUN MANY: what a run found is used by the next one, unless the user wants no learning or the file is not
# the user's own.
set -u
quadrille=$1 mpirun=$2 many=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset QUADRILLE_WISDOM
export XDG_CACHE_HOME=$work/cache
file=$XDG_CACHE_HOME/quadrille/learned
wrong() { echo "wrong: $*"; head -n 60 "$work/said"; exit 1; }
# run SECONDS [OPTIONS OF wrap...]
run() {
  local seconds=$1
  shift
  timeout 100 "$mpirun" -n 2 "$quadrille" wrap --report=full "$@" "$many" "$seconds" >"$work/said" 2>&1 || wrong "exit code $?: $*"
}
uses_findings() { grep -q 'used what earlier runs found' "$work/said"; }

# The longer a run, the more trials it may pay for. If other programs use the cores, calls take so long that none pays.
for seconds in 2 4 8; do
  run $seconds
  uses_findings && wrong 'nothing was found before'
  [ ! -s "$file" ] || break
done
[ -s "$file" ] || { echo 'skipped: a run of 8 s could not pay for a trial'; exit; }
[ "$(stat -c %a "$file")" = 600 ] || wrong "the file's mode is $(stat -c %a "$file")"
"$quadrille" wisdom show | grep -qE 'MPI_(Alltoall|Bcast)' || wrong 'show does not know it'
"$quadrille" wisdom show --json | python3 -c 'import json, sys; assert json.load(sys.stdin)[0]["learned"][0]["runs"] == 1' || wrong 'JSON'

# A finding that is refuted is forgotten. So a later run may have to find it first.
for seconds in 2 4 4 8; do
  run $seconds
  ! uses_findings || break
done
uses_findings || { echo 'skipped: no run could pay for what earlier runs found'; exit; }

cp "$file" "$work/before"
run 0.5 --no-learn
QUADRILLE_WISDOM=off run 0.5
uses_findings && wrong 'although learning is off'
cmp -s "$file" "$work/before" || wrong 'the file has changed although learning is off'

# As good as none: files that anybody may write, that are damaged, that are no files; a folder that cannot be made.
chmod 666 "$file"
run 0.5
uses_findings && wrong 'anybody may write this file'
for damage in 'head -c 100 "$work/before"' 'tail -c 100 "$work/before"' 'head -c 99999 /dev/urandom' 'echo hello'; do
  rm -f "$file"
  eval "$damage" >"$file"
  run 0.5
  uses_findings && wrong "$damage"
  grep -qi 'learned\|findings' "$work/said" && wrong "the program's output speaks of the file"
done
rm -f "$file"
mkdir "$file"
run 0.5
XDG_CACHE_HOME=/proc/none run 0.5
rmdir "$file"

# An edited file with a right checksum (words_hash) that names an algorithm of another collective.
python3 - "$work/before" "$file" <<'END'
import sys
content = bytearray(open(sys.argv[1], 'rb').read())
for entry in range(24, len(content), 64):
    content[entry + 48:entry + 51] = 33, 0, 0
entries, mask = bytes(content[24:]), (1 << 64) - 1
sum = len(entries)
for word in range(0, len(entries), 8):
    sum = (sum ^ int.from_bytes(entries[word:word + 8], 'little')) * 0x9E3779B97F4A7C15 & mask
    sum ^= sum >> 29
content[16:24] = sum.to_bytes(8, 'little')
open(sys.argv[2], 'wb').write(content)
END
chmod 600 "$file"
"$quadrille" wisdom show | grep -qE 'MPI_(Alltoall|Bcast)' || wrong 'the checksum of the edited file'
run $seconds
uses_findings && wrong 'an algorithm of another collective'

cp "$work/before" "$file"
"$quadrille" wisdom forget | grep -qE '^forgot [1-9]' || wrong 'forget'
[ ! -e "$file" ] && "$quadrille" wisdom forget | grep -q 'nothing was learned' || wrong 'forget twice'
echo good
