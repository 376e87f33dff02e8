#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that plug-ins and machine files are looked for beside the library, or beside a program that is linked statically, under whatever
# name the program was started and wherever it runs. Elsewhere anybody could put a plug-in, whose code would run.
#
# Usage: library_folder_test.sh STATIC_PROGRAM SHARED_PROGRAM LIBRARY
set -euo pipefail
static=$1 shared=$2 library=$3
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
touch "$work/program" "$work/$(basename "$library")"

expect() {  # expect FILE COMMAND...: the folder is beside the file
  local expected said
  expected=$(dirname "$(realpath "$1")")/quadrille
  said=$("${@:2}")
  [ "$said" = "$expected" ] || { echo "expected $expected, not $said: ${*:2}" >&2; exit 1; }
}
as() { (exec -a "$1" "${@:2}"); }  # as NAME COMMAND...: with this name as argv[0]

for name in program ./program "$work/program" ''; do
  expect "$static" as "$name" "$static" "$work"
  expect "$library" as "$name" "$shared" "$work"
done
cd "$(dirname "$library")"
expect "$library" env LD_PRELOAD="./$(basename "$library")" "$shared" "$work"
