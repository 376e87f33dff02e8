#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# abi_test.sh QUADRILLE LIBQUADRILLE PRELOAD PROGRAM OTHER_PRELOADS...: under the standard ABI, the drop-in sees collectives and
# passes them through, and `quadrille wrap` finds it. Drop-ins for other MPIs are refused.
set -u
quadrille=$1 library=$2 preload=$3 program=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "wrong: $*"; cat "$work/said"; exit 1; }
unset QUADRILLE_MPI
export -n LD_PRELOAD
seen='no collective was seen'
run() { env "$@" >"$work/said" 2>&1; }
passes() { grep -q 'all as expected' "$work/said" && [ "$(wc -l <"$work/said")" = 1 ]; }
refused() {  # refused SENTENCE WORDS...
  local sentence=$1
  shift
  run "$@"
  [ $? = 2 ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -q -- "$sentence" "$work/said" || wrong "exit $? of $*"
}

run "$program" && passes || wrong 'without the drop-in'
wrapped() { sh -c 'QUADRILLE_WRAPPED=$$ LD_PRELOAD='"$preload"' exec "$@"' sh "$@" >"$work/said" 2>&1; }
wrapped "$program" && passes || wrong 'with the drop-in'
wrapped "$program" none && grep -q "$seen" "$work/said" || wrong 'without a collective'
refused 'is for the standard ABI.*libmpi_abi.so, says "Stub of the ABI 1.0"' ABI_MAJOR=-1 LD_PRELOAD="$preload" "$program"
for other; do refused 'libmpi_abi.so, says "Stub' LD_PRELOAD="$other" "$program"; done

# A package without the ABI's library, and then with it.
folder=$work/lib
mkdir -p "$folder/quadrille"
cp -L "$library" "$folder/libquadrille.so.$(sed 's/.*\.so\.//' <<<"$library")"
refused 'standard ABI.*QUADRILLE_MPI_ABI' LD_LIBRARY_PATH="$folder" "$quadrille" wrap "$program"
cp "$preload" "$folder/quadrille/"
run LD_LIBRARY_PATH="$folder" "$quadrille" wrap "$program" && passes || wrong 'quadrille wrap'
run LD_LIBRARY_PATH="$folder" "$quadrille" wrap "$program" none && grep -q "$seen" "$work/said" || wrong 'quadrille wrap, without a collective'
run LD_LIBRARY_PATH="$folder" "$quadrille" preload --mpi abi && grep -qx "$folder/quadrille/quadrille-preload-abi.so" "$work/said" || wrong 'quadrille preload'
echo good
