#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# heap_test.sh QUADRILLE HEAP BLOCKS FORKS SEEN_MADVISE SOURCES: when the heap is on, and what other programs see of it. HEAP is
# libquadrille-heap, BLOCKS a program that says whether its blocks are in the heap, FORKS one that forks. Parts whose tools are missing
# are left out.
set -u
quadrille=$1 heap=$2 blocks=$3 forks=$4 seen=$5 sources=$6
work=$(mktemp -d)
trap 'rm -rf "$work"; rmdir "${group:-}" 2>/dev/null; [ -z "${process:-}" ] || kill $process' EXIT
wrong() { echo "wrong: $*"; cat "$work/said" 2>/dev/null; exit 1; }
run() { timeout -k 5 60 env LD_PRELOAD="$heap" "$@" >"$work/said" 2>&1; }
left_out() { echo "left out: $*"; }
unset QUADRILLE_HEAP

# When it is on.
run "$blocks" on || wrong 'off without a reason'
run env QUADRILLE_HEAP=off "$blocks" off || wrong 'on in spite of the variable'
run bash -c "ulimit -d 4000000; exec $blocks off" || wrong 'on with a limit of data'
run bash -c "ulimit -f 20000; $blocks on && $blocks fork-threads" || wrong 'with a limit of file sizes'
run bash -c "ulimit -v 3000000; $blocks functions" || wrong 'with a limit of addresses'
timeout 60 env LD_PRELOAD="$heap:/vgpreload_memcheck.so" "$blocks" off >"$work/said" 2>&1 || wrong 'on under valgrind'
if echo '#include <sys/prctl.h>
__attribute__((constructor)) static void protect(void) { prctl(PR_SET_DUMPABLE, 0); }' | cc -shared -fPIC -xc - -o "$work/protect.so"; then
  LD_PRELOAD=$heap:$work/protect.so "$blocks" off >"$work/said" 2>&1 || wrong 'on in a process that is not dumpable'
else
  left_out 'processes that are not dumpable'
fi
if c++ -std=c++20 -fsanitize=address -o "$work/sanitized" "$sources/blocks.cpp" 2>/dev/null; then
  run env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$work/sanitized" off || wrong 'on with a sanitizer'
else
  left_out 'sanitizers'
fi

# If a control group's memory does not suffice for the copy of a fork, the child is ended, and not the program.
group=/sys/fs/cgroup/memory/quadrille-$$
if mkdir "$group" 2>/dev/null && echo 300M 2>/dev/null >"$group/memory.limit_in_bytes"; then
  (echo $BASHPID >"$group/tasks" && run "$forks" beyond) || wrong 'the program was ended, or its child was not'
  rmdir "$group"
else
  left_out 'control groups'
fi

# How it is asked for.
for words in "run -n 1 --heap" "wrap --heap" "wrap --heap=always"; do
  QUADRILLE_MPI=openmpi timeout 60 "$quadrille" $words -- "$blocks" on >"$work/said" 2>&1 || grep -q 'not installed' "$work/said" ||
    wrong "$words"
done
QUADRILLE_HEAP=off timeout 60 "$quadrille" run -n 2 --heap "$blocks" off >"$work/said" 2>&1 || wrong 'run with the variable'
[ "$(grep -c 'QUADRILLE_HEAP is off' "$work/said")" = 1 ] || wrong 'no reason'
LD_PRELOAD=$seen "$quadrille" run -n 1 --heap sh -c 'echo $LD_PRELOAD' 2>/dev/null | grep -q "libquadrille-heap.so:$seen" || wrong 'the order'
"$quadrille" run --heap=much true >"$work/said" 2>&1
[ $? = 2 ] && grep -q "'much' is not a kind of heap" "$work/said" || wrong 'a wrong kind'
"$quadrille" doctor --json | grep -q '"large allocations of programs come from' || wrong doctor
QUADRILLE_HEAP=off "$quadrille" doctor --json | grep -q '"QUADRILLE_HEAP is off' || wrong 'doctor when off'

# Who intercepts madvise sees what is given back. The program releases 300 MiB, and then needs other pages.
LD_PRELOAD=$heap:$seen timeout 60 "$blocks" functions >"$work/said" 2>&1 || wrong 'with a library that intercepts madvise'
[ "$(sed -n 's/given back: \(.*\) MiB/\1/p' "$work/said")" -ge 300 ] || wrong 'not all was seen'

if cc -O1 -fno-builtin "$sources/seen_by_ucm.c" -o "$work/seen_by_ucm" -Wl,--no-as-needed -lucm -lucs 2>"$work/said"; then
  run "$work/seen_by_ucm" && grep -q good "$work/said" || wrong 'with the memory hooks of UCX'
else
  left_out 'the memory hooks of UCX (package libucx-dev)'
fi

# A dump has the data and no holes.
if command -v gcore >"$work/said"; then
  LD_PRELOAD=$heap "$blocks" wait >"$work/ready" &
  process=$!
  for ((i = 0; i < 100; ++i)); do grep -q ready "$work/ready" && break; sleep 0.1; done
  timeout 100 gcore -o "$work/core" $process >"$work/said" 2>&1
  grep -q 'data that is in the core dump' "$work"/core.* || wrong 'the dump has no data of the heap'
  [ "$(stat -c %s "$work"/core.*)" -lt 200000000 ] || wrong "the dump has holes: $(ls -l "$work")"
  rm "$work"/core.*
else
  left_out gcore
fi

# Fortran and numpy take their arrays from there. They print the address and the mappings.
address_is_shared() {
  local address begin end rest
  address=$((16#$(sed -n 's/^at //p' "$work/said")))
  while IFS='- ' read -r begin end rest; do
    [[ $begin =~ ^[0-9a-f]+$ && $rest == *memfd:quadrille* ]] && ((address >= 16#$begin && address < 16#$end)) && return
  done <"$work/said"
  return 1
}
if gfortran -o "$work/allocate" "$sources/allocate.f90" 2>/dev/null; then
  run "$work/allocate" && address_is_shared || wrong 'allocate of Fortran'
else
  left_out Fortran
fi
python=/usr/bin/python3
if "$python" -c 'import numpy' 2>/dev/null; then
  run "$python" -c 'import numpy
a = numpy.ones(100000)
print("at %x" % a.ctypes.data)
print(open("/proc/self/maps").read())' && address_is_shared || wrong 'numpy'
else
  left_out numpy
fi
echo good
