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

# The program is the launcher's own process, with a process beside it that it does not see.
start() {  # start OPTION..
  : >"$work/said"
  "$mpirun" -n 2 "$quadrille" wrap "$@" "$faults" signals </dev/null >"$work/said" 2>&1 &
  launcher=$!
  both_are_there() { [ "$(grep -c 'process [0-9]* of [0-9]*$' "$work/said")" = 2 ]; }
  within 20 both_are_there || wrong 'the program has not started'
  program=($(sed -n 's/.*process \([0-9]*\) of.*/\1/p' "$work/said"))
  beside=()
  for process in "${program[@]}"; do beside+=($(pgrep -P "$process" -x quadrille)); done
}
start --watch=2
[ ${#beside[@]} = 2 ] || wrong 'each rank has a watcher'
! grep -zq '^QUADRILLE_WATCH=.' "/proc/${program[0]}/environ" || wrong 'what the program starts gets the key of the watchers'
kill -USR1 "${program[0]}" && within 5 said 'got SIGUSR1' || wrong 'SIGUSR1'
kill -STOP "${program[1]}"
within 5 grep -q '^State:.T' "/proc/${program[1]}/status" || wrong 'SIGSTOP stops the program'
kill -CONT "${program[1]}"
kill -TERM "${program[1]}" && within 5 said 'got SIGTERM' || wrong 'SIGTERM'
wait "$launcher" || wrong 'the exit code after SIGTERM'
launcher=''
said 'ended well' && ! said '^quadrille: ' || wrong 'the program goes on after SIGCONT'
[ "$(grep -c 'got SIG' "$work/said")" = 2 ] || wrong 'a signal comes once'

# A program goes on without its watcher. Without --watch it is watched, too, unless that is switched off.
for options in '--watch=2 2' '--report 2' '--no-watch 0' '--off 0'; do
  start ${options% *}
  [ ${#beside[@]} = "${options#* }" ] || wrong "watchers with ${options% *}"
  [ ${#beside[@]} = 0 ] || kill -KILL "${beside[@]}"
  kill -TERM "${program[0]}"
  wait "$launcher" || wrong "the exit code after the watchers' death"
  launcher=''
  said 'ended well' || wrong "the program goes on after the watchers' death"
done
start
[ ${#beside[@]} = 2 ] || wrong 'watchers of a plain run'
! grep -q quadrille-record "/proc/${program[0]}/maps" || wrong 'a plain run counts no messages'

# Nothing is left of a job whose launcher is killed, nor files of one that has ended well.
none_is_left() { for process in "${program[@]}" "${beside[@]}"; do ! alive "$process" || return 1; done; }
kill -KILL "$launcher"
within 10 none_is_left || wrong 'processes outlive their launcher'
launcher=''
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
nothing_is_left() { ! ls -d "$TMPDIR"/quadrille-report-* >/dev/null 2>&1; }
printf '#!/usr/bin/env bash\nfor i in 1 2 3; do "$@" </dev/null || exit; done\n' >"$work/often" && chmod +x "$work/often"
for command in "$mpirun -n 2 $quadrille wrap $faults" "$mpirun -n 2 ${watch[*]} $work/script $faults" \
  "$quadrille wrap $mpirun -n 2 $faults" "$quadrille wrap --watch $work/often $faults"; do
  QUADRILLE_MPI=$mpi timeout 60 $command none >"$work/said" 2>&1 || wrong "$command"
  said 'ended well' && ! said '^quadrille: [^n]' || wrong "$command"
  within 5 nothing_is_left || wrong "files of $command"
done
QUADRILLE_MPI=$mpi timeout 60 "$quadrille" wrap sh -c "($faults none >$work/late 2>&1; echo over >>$work/late) & exit 0" >"$work/said" 2>&1
within 20 grep -q over "$work/late" && ! grep -q '^quadrille: [^n]' "$work/late" && nothing_is_left || wrong 'a program that outlives the wrapped one'

# Where nothing can be watched, the program runs; only --watch says so.
timeout 60 "$mpirun" -n 2 env TMPDIR="$work/nowhere" "$quadrille" wrap "$faults" none >"$work/said" 2>&1 || wrong 'without a folder'
! said '^quadrille: ' || wrong 'a plain run without a folder says nothing'
timeout 60 "$mpirun" -n 2 env TMPDIR="$work/nowhere" "${watch[@]}" "$faults" none >"$work/said" 2>&1 || wrong 'without a folder'
[ "$(grep -c 'the program is not watched' "$work/said")" = 1 ] || wrong '--watch without a folder'

# A program that is started from a terminal can be stopped by it, goes on in the background and in the foreground, and reads.
cat >"$work/flag.py" <<'EOF'
import os, sys, time
print("ready", flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
print("got " + input())
sys.exit(6)
EOF
cat >"$work/terminal.py" <<'EOF'
import os, pty, re, sys, time
child, terminal = pty.fork()
if child == 0:
    os.execvp("bash", ["bash", "--norc", "-i"])
text = ""
def expect(words):
    global text
    end = time.time() + 20
    while not (found := re.search(words, text)):
        os.set_blocking(terminal, False)
        try:
            text += os.read(terminal, 4096).decode()
        except BlockingIOError:
            time.sleep(0.02)
        if time.time() > end:
            sys.exit(f"no '{words}' in: {text}")
    text = text[found.end():]
def enter(line):
    time.sleep(0.5)  # sh may lose a signal while it starts a program
    os.write(terminal, line.encode())
enter("PS1='$ '\n")
enter(sys.argv[1] + " python3 " + sys.argv[2] + ".py " + sys.argv[2] + "\n")
expect("ready"), enter("\x1a"), expect("Stopped")
enter("bg; sleep 0.3; jobs\n"), expect("Running")
enter("fg\n"), enter("\x1a"), expect("Stopped")
enter("touch " + sys.argv[2] + "; fg\n"), expect(".py"), enter("words\n"), expect("got words")
enter("echo code-$?\n"), expect("code-6")
enter(sys.argv[1] + " sh -c 'echo rea''dy; sleep 100'\n"), expect("ready"), enter("\x03")
enter("echo code-$?\n"), expect("code-130")
enter("exit\n")
EOF
QUADRILLE_MPI=$mpi timeout 90 python3 "$work/terminal.py" "$quadrille wrap --watch=0.2" "$work/flag" >"$work/said" 2>&1 || wrong 'a terminal'
echo good
