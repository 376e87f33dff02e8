#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# wrap_test.sh QUADRILLE MPI MPIRUN CHURN SILENT TOOL: `quadrille wrap` and `quadrille preload`.
set -u
quadrille=$1 mpi=$2 mpirun=$3 churn=$4 silent=$5 tool=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; cat "$work/said" 2>/dev/null; exit 1; }
refused() {  # refused SENTENCE COMMAND...: one line with SENTENCE on stderr, exit 2
  local sentence=$1 code
  shift
  "$@" >"$work/said" 2>&1
  code=$?
  [ $code = 2 ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -q -- "$sentence" "$work/said" || wrong "exit $code of $*"
}
unset QUADRILLE_MPI

# Programs that cannot be wrapped.
refused 'name a program' "$quadrille" wrap
refused 'there is no program ./nothing' "$quadrille" wrap ./nothing
refused 'in the folders of PATH' "$quadrille" wrap no-such-program-anywhere
refused 'no launcher says' env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE -u PMI_RANK "$quadrille" wrap true
refused 'neither an executable' bash -c "touch $work/empty; chmod +x $work/empty; $quadrille wrap $work/empty"
refused 'may not be executed' bash -c "cp $silent $work/plain; chmod -x $work/plain; $quadrille wrap $work/plain"
refused "another user's" bash -c "cp $silent $work/setuid; chmod u+xs $work/setuid; $quadrille wrap $work/setuid"
refused 'not a 64-bit' bash -c "cp $silent $work/short; chmod +x $work/short; printf '\\001' | dd of=$work/short bs=1 seek=4 conv=notrunc status=none; $quadrille wrap $work/short"
refused 'is not a regular file' "$quadrille" wrap "$work"
mkfifo "$work/pipe" && chmod +x "$work/pipe"
refused 'is not a regular file' timeout 30 "$quadrille" wrap "$work/pipe"
refused 'MPI' "$quadrille" preload --mpi nothing
refused 'not a share' "$quadrille" wrap --tune=much "$silent"
refused 'not a share' "$quadrille" wrap --tune=60% "$silent"
refused "no collective 'all'" "$quadrille" wrap --choose all=direct "$silent"
if echo 'int main(void) { return 0; }' | cc -static -xc - -o "$work/static" 2>/dev/null; then
  refused 'linked statically' "$quadrille" wrap "$work/static"
fi
head -c 3000 "$silent" >"$work/cut" && chmod +x "$work/cut"
"$quadrille" wrap "$work/cut" >"$work/said" 2>&1
[ $? = 2 ] || wrong 'a file that is cut off'
[ "$("$quadrille" preload --mpi "$mpi")" = "$(QUADRILLE_MPI=$mpi "$quadrille" preload)" ] || wrong preload

# The MPI is the program's or, for a script, the launcher's. Arguments and exit codes are passed on.
others=${LD_PRELOAD:-}
library=$("$quadrille" preload --mpi "$mpi")
QUADRILLE_MPI=$mpi "$quadrille" wrap -- sh -c 'test "$1" = "a b" && echo "$LD_PRELOAD" && exit 7' sh 'a b' >"$work/said" 2>"$work/errors"
[ $? = 7 ] && [ "$(cat "$work/said")" = "$library${others:+:$others}" ] || wrong 'arguments and exit codes'
printf '#!/usr/bin/env sh\nexec "$@"\n' >"$work/script" && chmod +x "$work/script"
for command in "$churn" "$work/script $churn"; do
  timeout 60 "$mpirun" -n 2 "$quadrille" wrap $command >"$work/said" 2>&1 || wrong "$command"
  grep -q 'all as expected' "$work/said" && ! grep -q 'no collective' "$work/said" || wrong "$command"
done

# The doctor is content with this MPI's own mpirun. The fault is found if mpirun is another library's.
mkdir "$work/bin"
examined() { PATH=$work/bin:$PATH "$quadrille" doctor "$silent" >"$work/said"; }
ln -s "$(command -v "$mpirun")" "$work/bin/mpirun"
examined || wrong 'a machine on which these tests run'
grep -q '^both .*: ok' "$work/said" && grep -q "^drop-in .*quadrille-preload-$mpi.so" "$work/said" || wrong 'the doctor'
said='HYDRA build details:' other=MPICH
if [ "$mpi" = mpich ]; then said='mpirun (Open MPI) 4.1.4' other='Open MPI'; fi
rm "$work/bin/mpirun" && printf '#!/bin/sh\necho "%s"\n' "$said" >"$work/bin/mpirun" && chmod +x "$work/bin/mpirun"
examined && wrong "the doctor finds nothing wrong with the mpirun of $other"
tr -s '\n ' ' ' <"$work/said" | grep -q "mpirun is of $other, the program of .*: start the program by the mpirun of" || wrong "the mpirun of $other"
# Without the drop-in's library, the doctor and `wrap` say the same.
mkdir "$work/lib" "$work/lib/quadrille" "$work/other" && cp -P "$(dirname "$library")/.."/libquadrille.so* "$work/lib" && cp "$quadrille" "$work/other"
LD_LIBRARY_PATH=$work/lib "$work/other/quadrille" doctor --json "$silent" >"$work/said" && wrong 'a drop-in that is not installed'
grep -q "the library to preload for $mpi is not installed" "$work/said" || wrong 'the doctor without a drop-in'
LD_LIBRARY_PATH=$work/lib refused "the library to preload for $mpi is not installed" "$work/other/quadrille" wrap "$silent"

# For a program without a collective, one sentence is printed for the whole job.
timeout 60 "$mpirun" -n 2 "$quadrille" wrap "$silent" >"$work/said" 2>&1 || wrong 'a program without collectives'
[ "$(grep -c 'no collective was seen' "$work/said")" = 1 ] || wrong 'that no collective was seen is said once'

# Together with a tool that uses the profiling interface, in either order: the library that comes first sees the blocking
# collectives.
run_both() { LD_PRELOAD=$1${others:+:$others} timeout 60 "$mpirun" -n 2 "$churn" >"$work/said" 2>&1 || wrong "with the tool: $1"; }
run_both "$tool:$library"
grep -q 'tool: init 1, alltoall seen' "$work/said" && grep -q 'all as expected' "$work/said" || wrong 'the tool first'
run_both "$library:$tool"
grep -q 'tool: init 1, alltoall not seen' "$work/said" && grep -q 'all as expected' "$work/said" || wrong 'the drop-in first'
echo good
