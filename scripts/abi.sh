#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares the C interface with the one of the last release, so that no change breaks compiled programs unnoticed:
#   scripts/abi.sh [LIBRARY.so]    prints what differs from tests/install/abi/c.abi; exit code 1 if something does
#   scripts/abi.sh --renew         stores the present interface, for a release
# The types come from include/quadrille/c.h: a library is made of it in which each function returns at once. So no debugging
# information of the real library is needed. If LIBRARY.so is given, it must also export each function. Needs abigail-tools.
set -euo pipefail
usage() { sed -n '3,8s/^# \?//p' "$0"; }
case ${1-} in -h | --help) usage; exit ;; --renew) ;; -*) usage >&2; exit 2 ;; esac
root=$(cd "$(dirname "$0")/.." && pwd) stored=tests/install/abi/c.abi
command -v abidw >/dev/null && command -v abidiff >/dev/null || { echo "skipped: no abidw or abidiff; install abigail-tools"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: the stored interface is that of x86_64"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT

# In the header only declarations of functions end in ");", except for types of functions.
{
  echo '#include "quadrille/c.h"'
  echo '#include "quadrille/c.h"' | gcc -E -P -x c -I"$root/include" - | tr -d '\n' | sed 's/;/;\n/g' |
    sed -nE 's/^ *((int|const char\*) quadrille_[a-z_]+\(.*\));$/\1 { return 0; }/p'
} >"$work/c_interface.c"
(cd "$work" && gcc -g -shared -fPIC -w -I"$root/include" c_interface.c -o libc_interface.so)
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --out-file "$work/c.abi" "$work/libc_interface.so"
if [ "${1-}" = --renew ]; then mkdir -p "$(dirname "$root/$stored")" && cp "$work/c.abi" "$root/$stored"; exit; fi

# abidiff says by its exit code what is wrong: 1 and 2 stand for its own failure, 4 for any change, also a function that was added.
status=0
abidiff --no-added-syms "$root/$stored" "$work/c.abi" || status=$?
[ "$status" -eq 0 ] || { echo "The C interface differs from that of the last release (abidiff: $status)."; exit 1; }
[ $# -gt 0 ] || exit 0
exported() { nm -D --defined-only "$1" | sed -n 's/.* T \(quadrille_[a-z_]*\)$/\1/p' | sort; }
missing=$(comm -23 <(exported "$work/libc_interface.so") <(exported "$1"))
[ -z "$missing" ] || { echo "$1 does not export:" $missing; exit 1; }
