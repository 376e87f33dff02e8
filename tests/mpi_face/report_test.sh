#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# report_test.sh QUADRILLE MPIRUN COUNTED FEW SPAWNER LATE WAITS: the report of a normal run, and of a run in which a rank is killed.
set -u
quadrille=$1 mpirun=$2 counted=$3 few=$4 spawner=$5 late=$6 waits=$7
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
said=$work/said
wrong() { echo "wrong: $*"; head -n 60 "$said"; exit 1; }
wrapped() { timeout 60 "$mpirun" -n 4 "$quadrille" wrap "$@" >"$said" 2>&1; }
says() { local words; for words in "$@"; do grep -qF -- "$words" "$said" || wrong "not said: $words"; done; }
left() { find "$TMPDIR" -maxdepth 1 -name 'quadrille-report-*' | wc -l; }
unset QUADRILLE_REPORT QUADRILLE

# The command refuses invalid values; the library prints a remark and ignores them.
for kind in yes full: summary:/no/such/folder/file "full:$work"; do
  "$quadrille" wrap "--report=$kind" "$counted" >"$said" 2>&1
  [ $? = 2 ] && [ "$(wc -l <"$said")" = 1 ] || wrong "--report=$kind"
done
ln -s nothing "$work/link"
if chown -h 12345 "$work/link" 2>/dev/null; then  # only root can make a link of another user
  "$quadrille" wrap "--report=full:$work/link" "$counted" >"$said" 2>&1; [ $? = 2 ] || wrong 'a link of another user'
  says "'link' is a link of another user"
fi
"$quadrille" wrap --report full "$counted" >"$said" 2>&1; [ $? = 2 ] || wrong '--report full'
says '--report=full'
"$quadrille" wrap --off --report "$counted" >"$said" 2>&1; [ $? = 2 ] || wrong '--off --report'
"$quadrille" report >"$said" 2>&1; [ $? = 2 ] || wrong 'no counters anywhere'
QUADRILLE_REPORT=yes "$quadrille" wrap "$few" >"$said" 2>&1; [ $? = 2 ] || wrong 'an invalid QUADRILLE_REPORT'
library=$(timeout 60 "$mpirun" -n 1 "$quadrille" preload)
preloaded() { LD_PRELOAD=$library${LD_PRELOAD:+:$LD_PRELOAD} timeout 60 "$mpirun" -n 4 "$@" >"$said" 2>&1; }
QUADRILLE_REPORT=yes QUADRILLE_ADMIT=yes QUADRILLE_REPROT=full preloaded "$few" || wrong 'invalid variables'
says "QUADRILLE_REPORT is 'yes'; it may be off, summary" "QUADRILLE_ADMIT is 'yes'; it may be 0" 'did you mean QUADRILLE_REPORT?' 'all as expected'
[ "$(grep -c '^quadrille: ' "$said")" = 3 ] || wrong 'rank 0 warns, once'
QUADRILLE_NODE_SIZES=much QUADRILLE_PLAN_MEMORY=some QUADRILLE_CHOOSE=alltoall=nothing preloaded "$few" || wrong 'refused variables'
says "QUADRILLE_NODE_SIZES is 'much'" "QUADRILLE_PLAN_MEMORY: 'some' is not a size" 'the MPI library runs every call' 'all as expected'
[ "$(grep -c '^quadrille: ' "$said")" = 2 ] || wrong 'rank 0 says what is refused, once'
mkdir "$work/there.json"
touch "$work/here.counters"
for file in there here; do
  "$quadrille" wrap "--report=full:$work/$file" "$counted" >"$said" 2>&1; [ $? = 2 ] || wrong "a file beside $file"
  QUADRILLE_REPORT=full:$work/$file "$quadrille" wrap "$counted" >"$said" 2>&1; [ $? = 2 ] || wrong "QUADRILLE_REPORT=full:$file"
done

# A report on stderr; the private folder is removed.
wrapped --report "$counted" || wrong 'a summary'
says "Quadrille's report of" ': 4 ranks on 1 host' 'Alltoall' '1000 B' 'by the MPI library: nonblocking' 'pairs' 'Traffic:'
[ "$(grep -c "Quadrille's report" "$said")" = 1 ] && [ "$(left)" = 0 ] || wrong 'one report, and no folder left'

# A report in a file, with JSON and the counters beside it; all of them are readable by the user only.
wrapped --report=full:"$work/run.txt" "$counted" || wrong 'a report to a file'
grep -q Quadrille "$said" && wrong 'the report is in the file'
cp "$work/run.txt" "$said"
says 'from \ to' 'MPI_COMM_WORLD' 'Alltoallv' 'Ialltoall' '0..3' 'well'
grep -q '"collective": "Ialltoall"' "$work/run.txt.json" || wrong 'JSON'
[ "$(grep -c '"begin_s"' "$work/run.txt.json")" -ge 4 ] || wrong 'the costliest calls of each rank'
"$quadrille" view "$work/run.txt.json" >"$work/run.html" 2>"$said" || wrong 'a page of the report'
[ "$(stat -c %a "$work/run.txt.counters")" = 700 ] || wrong 'the mode of the folder'
[ "$(stat -c %a "$work"/run.txt.counters/rank-3.counters)" = 600 ] || wrong 'the mode of a file'
"$quadrille" report "$work/run.txt.counters" --full >"$said" 2>&1 || wrong 'reading the folder'
cmp -s "$said" "$work/run.txt" || wrong 'the same report from the folder'
"$quadrille" report "$work"/run.txt.counters/rank-0.counters >"$said" 2>&1 || wrong 'reading one file'
says 'no counters of ranks 1..3'

# With --profile, calls are only observed; late ranks are measured.
wrapped --profile --report=summary:"$work/observed" "$counted" || wrong '--profile'
cp "$work/observed" "$said"
grep -qE ' 200  Allreduce +8 B  .*s \(n = [1-9]\)$' "$said" || wrong 'late ranks are measured'
cp "$work/observed.json" "$said"
says '"why": "only observed"'
grep '"ours_calls"' "$said" | grep -qv ': 0' && wrong 'ours ran'
grep '"what"' "$said" | grep -qv 'null' && wrong 'ours ran'

# Messages are counted, and take most of this run.
wrapped --report "$waits" messages || wrong 'a program with messages'
says 'Point-to-point calls took ' ' in 40 Sendrecv' 'Next: call MPI_Alltoall where all ranks exchange blocks' 'of the run is in MPI_Sendrecv'
# By hand, without the library that defines them, they are not.
QUADRILLE_REPORT=summary preloaded "$waits" messages || wrong 'a program with messages, by hand'
says 'Point-to-point calls were not counted'

# Trials of so long calls do not pay in so short a run. On a busy machine the group may have used up what may be spent.
wrapped --report "$waits" dear || wrong 'a trial that is too dear'
grep -qE '[1-8] by the MPI library: a trial would cost more than (may be spent as yet|these calls have taken) \([0-9.]+ m?s; it could gain at most [0-9.]+ [mµ]?s\)' "$said" ||
  wrong 'the cost of a trial'
says 'Next: quadrille wrap --choose=RULES'

# Calls under way count, and come first.
timeout 60 "$mpirun" -n 4 "$quadrille" wrap --report=summary:"$work/hang" "$waits" hang >/dev/null 2>&1 &
job=$!
for try in $(seq 40); do
  sleep 0.5
  "$quadrille" report "$work/hang.counters" >"$said" 2>/dev/null && grep -q 'Next: gdb -p [0-9]* (rank 1 on ' "$said" && break
done
kill $job
wait $job 2>/dev/null
says '3 ranks are inside Allreduce on MPI_COMM_WORLD for up to ' 'and this one is not' 'under way: 3 of the ranks that run are inside'

# Ranks that call no collective are in the report, too.
wrapped --report=full "$few" || wrong 'two ranks without a collective'
says '   3  ' 'all as expected'
grep -q 'no counters' "$said" && wrong 'all ranks have counters'

# A second run does not take the file of a run that has not ended.
timeout 60 "$mpirun" -n 2 "$quadrille" wrap --report=summary:"$work/same" "$late" 3 >/dev/null 2>&1 &
sleep 1
wrapped --report=summary:"$work/same" "$few" || wrong 'a second run with the same file'
says 'a run that has not ended yet writes it' 'all as expected'
wait $! || wrong 'the first run'
cp "$work/same" "$said"
says "$late 3: 2 ranks"

# A world of MPI_Comm_spawn has a report of its own. MPICH 4.0.2 of Debian cannot spawn.
if timeout 60 "$mpirun" -n 2 "$spawner" "$spawner" none >/dev/null 2>&1; then
  wrapped --report=summary:"$work/first" "$spawner" "$quadrille" "$work/first" || wrong 'a program that spawns'
  says 'all as expected'
  cp "$work/first.spawned-1" "$said" || wrong 'a report of the spawned world'
  says ': 2 ranks on 1 host' 'Allgather '
  cp "$work/first" "$said"
  says ': 4 ranks on 1 host'
fi

# A rank is killed inside a call.
wrapped --report "$counted" killed && wrong 'a killed rank ends the job'
[ "$(left)" = 1 ] || wrong 'the counters of a killed rank are kept'
"$quadrille" report >"$said" 2>&1 || wrong 'the report of a killed rank'
says 'rank 1 ended inside Alltoall on MPI_COMM_WORLD, '
echo good
