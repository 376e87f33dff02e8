#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# leaks_test.sh QUADRILLE SOURCE LAUNCHER.. -- LEAKS: `quadrille wrap --watch` names the lines in SOURCE whose objects LEAKS does not
# free, and how many there are, once for all ranks. It says nothing if all are freed.
set -u
quadrille=$1 source=$2 launch=()
shift 2
while [ "$1" != -- ]; do launch+=("$1"); shift; done
leaks=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; cat "$work/said"; exit 1; }
run() { timeout 60 "${launch[@]}" "$quadrille" wrap --watch=5 "$leaks" "$@" >"$work/said" 2>&1; }
line() { grep -n "// $1\$" "$source" | cut -d: -f1; }
told() {  # told NUMBER WHAT LINE WORDS: exactly one line says it
  [ "$(grep -c "^quadrille: $1 $2 from leaks.c:$(line "$3") ([a-z_]*) are $4 (rank 0)" "$work/said")" = 1 ] || wrong "$3 are not named"
}

run || wrong 'the program fails'
! grep -q '^quadrille: ' "$work/said" || wrong 'there are no leaks'
run leaks || wrong 'the program with leaks fails'
told 300 communicators 'kept communicators' 'not freed'
told 200 types 'kept types' 'not freed'
told 150 requests 'kept requests' 'neither complete nor freed'
[ "$(grep -c '^quadrille: .* are ' "$work/said")" = 3 ] || wrong 'there are three leaks'
run floods  # in MPICH, it fails
grep -q "^quadrille: [12],[0-9]* communicators from leaks.c:$(line flood) (main) are not freed (rank 0); some MPI libraries have 2,046 in all$" "$work/said" ||
  wrong 'too many communicators are not named'
echo good
