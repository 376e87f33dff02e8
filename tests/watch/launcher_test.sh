#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# launcher_test.sh QUADRILLE MPI MPIRUN FAULTS: `quadrille wrap --watch` between a launcher and a program passes on signals, standard
# input and the exit status, and no process outlives a killed launcher.
set -u
quadrille=$1 mpi=$2 mpirun=$3 faults=$4
watch=("$quadrille" wrap --watch=2)
work=$(mktemp -d)
launcher=''
trap '[ -z "$launcher" ] || kill -KILL "$launcher" 2>/dev/null; rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; cat "$work/said" 2>/dev/null; exit 1; }
within() {  # within SECONDS COMMAND..: waits until the command succeeds
  local end=$((SECONDS + $1))
  shift
  until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep 0.1; done
}
said() { grep -q -- "$1" "$work/said"; }
alive() { kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }

# The status is the program's: an exit code, or the signal that ended it.
for expected in 'exit 7:7' 'exit 0:0' 'kill -TERM $$:-15' 'kill -ABRT $$:-6' 'kill -KILL $$:-9'; do
  QUADRILLE_MPI=$mpi timeout 30 python3 -c 'import subprocess, sys; print(subprocess.run(sys.argv[1:]).returncode)' \
    "${watch[@]}" sh -c "${expected%:*}" >"$work/said" 2>"$work/errors"
  [ "$(cat "$work/said")" = "${expected##*:}" ] || wrong "the status of '${expected%:*}'"
done
timeout 60 "$mpirun" -n 2 "${watch[@]}" "$faults" ends_with_7 >"$work/said" 2>&1
[ $? = 7 ] || wrong 'exit code 7 through the launcher'

# Standard input reaches rank 0, also if a script is wrapped, and if the job has several wraps.
printf '#!/usr/bin/env bash\n"$@"\n' >"$work/script" && chmod +x "$work/script"
for command in "$faults" "$work/script $faults"; do
  printf 'one\ntwo\n' | timeout 60 "$mpirun" -n 2 "${watch[@]}" $command echoes >"$work/said" 2>&1 || wrong "standard input of $command"
  [ "$(grep -c '^read: \(one\|two\)$' "$work/said")" = 2 ] && said 'ended well' || wrong "standard input of $command"
done
timeout 60 "$mpirun" -n 2 "${watch[@]}" "$faults" none : -n 2 "${watch[@]}" "$faults" none >"$work/said" 2>&1 || wrong 'two wraps in a job'
[ "$(grep -c 'ended well' "$work/said")" = 1 ] && ! said '^quadrille: ' || wrong 'two wraps in a job'

# The program's processes, and their parents, which watch.
start() {
  : >"$work/said"
  "$mpirun" -n 2 "${watch[@]}" "$faults" signals </dev/null >"$work/said" 2>&1 &
  launcher=$!
  both_are_there() { [ "$(grep -c 'process [0-9]* of [0-9]*$' "$work/said")" = 2 ]; }
  within 20 both_are_there || wrong 'the program has not started'
  program=($(sed -n 's/.*process \([0-9]*\) of.*/\1/p' "$work/said"))
  wrapped=($(sed -n 's/^rank [01]: process.* of \([0-9]*\)$/\1/p' "$work/said"))
}
start
kill -USR1 "${wrapped[0]}" && within 5 said 'got SIGUSR1' || wrong 'SIGUSR1 is passed on'
kill -STOP "${program[1]}"
sleep 1
kill -CONT "${program[1]}"
kill -TERM "${wrapped[1]}" && within 5 said 'got SIGTERM' || wrong 'SIGTERM is passed on'
wait "$launcher" || wrong 'the exit code after SIGTERM'
launcher=''
said 'ended well' && ! said '^quadrille: ' || wrong 'the program goes on after SIGCONT'

# A watcher that is stopped and goes on, as a shell does with a job.
start
kill -STOP "${wrapped[0]}"
sleep 0.5
kill -CONT "${wrapped[0]}"
kill -TERM "${wrapped[0]}" && within 5 said 'got SIGTERM' || wrong 'SIGTERM after SIGCONT'
wait "$launcher" || wrong 'the exit code after SIGCONT'

# Nothing is left of a job whose launcher, or one of whose watchers, is killed.
none_is_left() { for process in "${program[@]}" "${wrapped[@]}"; do ! alive "$process" || return 1; done; }
start
kill -KILL "$launcher"
within 10 none_is_left || wrong 'processes outlive their launcher'
start
kill -KILL "${wrapped[1]}"
within 10 none_is_left || wrong 'processes outlive a watcher'
launcher=''
echo good
