#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# recording_test.sh QUADRILLE MPIRUN RECORDED VECTORS: recordings of programs whose calls, gaps and communicators are known.
# recording_test.sh QUADRILLE MPIRUN --fortran RECORDED: the same of a Fortran program.
set -u
quadrille=$1 mpirun=$2
shift 2
work=$(mktemp -d) here=$(cd "$(dirname "$0")" && pwd)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
said=$work/said
unset QUADRILLE_RECORD QUADRILLE_REPORT QUADRILLE
wrong() { echo "wrong: $*"; head -n 60 "$said"; exit 1; }
refused() { "$quadrille" "$@" >"$said" 2>&1; [ $? = 2 ] && [ "$(wc -l <"$said")" = 1 ] || wrong "$*"; }
record() { timeout 60 "$mpirun" -n 4 "$quadrille" wrap "$@" >"$said" 2>&1 || wrong "the run: $*"; grep -q 'all as expected' "$said" || wrong 'the program'; }
holds() {  # holds FOLDER EXPECTATIONS
  "$quadrille" recording "$1" --json >"$work/run.json" 2>"$said" || wrong "reading $1"
  python3 "$here/recording_check.py" "$work/run.json" "$2" >"$said" 2>&1 || wrong "what $1 holds"
}

if [ "$1" = --fortran ]; then
  record --record "$2"
  holds quadrille-recording fortran
  echo good
  exit
fi
recorded=$1 vectors=$2

refused wrap --record --report "$recorded"
refused wrap --record --off "$recorded"
refused wrap --fold "$recorded"
touch file && refused wrap --record=file "$recorded"
refused recording nothing
refused recording .
QUADRILLE_RECORD=somewhere refused info

record --record=run "$recorded"
[ "$(find run -name 'rank-*.recording' | wc -l)" = 4 ] && [ "$(find run -type f | wc -l)" = 4 ] || wrong 'one file for each rank'
[ "$(grep -c 'the recording of 4 ranks is in' "$said")" = 1 ] || wrong 'one line says where the recording is'
holds run calls
"$quadrille" recording run --full >"$said" 2>&1 || wrong 'printing'
for words in '4 ranks on 1 host' 'Allreduce (sum f64)' 'Time line' 'Dearest collectives' 'point-to-point' 'pair, 2 x 2 ranks'; do
  grep -qF -- "$words" "$said" || wrong "not printed: $words"
done

record --record=run --fold "$recorded"
holds run folded

# Threads compute together, so their processor times do not tell.
record --record=run "$recorded" threads
holds run threads

# Killed: what was recorded until then can be read. The launcher ends the other ranks.
timeout 60 "$mpirun" -n 4 "$quadrille" wrap --record=killed "$recorded" killed >"$said" 2>&1
holds killed killed
"$quadrille" recording killed >"$said" 2>&1 || wrong 'printing a killed run'
grep -q 'did not end normally' "$said" || wrong 'ranks that were killed'

# Rank 0 gets what it does not see in its folder, as if the others were on another machine.
timeout 60 "$mpirun" -n 1 "$quadrille" wrap --record=here "$recorded" : -n 3 "$quadrille" wrap --record=there "$recorded" >"$said" 2>&1 ||
  wrong 'two folders'
holds here calls
[ ! -e there ] || wrong 'files that were handed over are removed'

# More than 1,000 vectors of counts.
record --record=vectors "$vectors"
holds vectors vectors
"$quadrille" recording vectors >"$said" 2>&1
grep -q 'more than 1,000 different vectors' "$said" || wrong 'sampled vectors'

# A damaged file is named, and the others are read.
printf 'x' | dd of=run/rank-1.recording bs=1 seek=100 conv=notrunc 2>/dev/null
"$quadrille" recording run >"$said" 2>&1 || wrong 'a damaged file beside good ones'
grep -q 'the recording of rank 1 .* cannot be used: .*damaged' "$said" || wrong 'a damaged file is named'
rm run/rank-[023].recording
refused recording run
echo good
