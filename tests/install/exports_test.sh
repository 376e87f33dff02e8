#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that the shared library exports the symbols of namespace quadrille only (cmake/exports.map).
#
# Usage: exports_test.sh LIBRARY
set -euo pipefail
exported=$(nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u)
# Mangled names: functions (_ZN), static variables (_ZZN, _ZGV), type information, tables and thunks of virtual functions (_ZT).
foreign=$(grep -vE '^(_Z(Z|GVZ?|T[ISVT]|T[hv][n0-9_]*_)?N[KOR]*9quadrille|quadrille_)' <<< "$exported" | c++filt || true)
if [ -n "$foreign" ]; then
  printf 'exported, and not of namespace quadrille:\n%s\n' "$foreign"
  exit 1
fi
[ "$(wc -l <<< "$exported")" -ge 100 ] || { echo "fewer than 100 symbols are exported: $1"; exit 1; }
