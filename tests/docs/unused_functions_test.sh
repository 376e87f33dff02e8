#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Finds functions, and variables of namespaces, that only tests use, from the symbols of the objects. A symbol with external linkage
# is used if
#   - an object of the library, the plug-ins, the drop-in or the command names it in a relocation: calls from other files, tables of
#     virtual functions, addresses;
#   - or its object has a local alias of it, by which GCC calls it in the same object;
#   - or its source file mentions it beside its definition, since a call there may have been inlined;
#   - or a public header declares it.
# Operators, constructors and destructors are called without their names, so those that only their own file uses are not judged. The compiler
# itself finds unused functions with internal linkage. It emits no inline function that nothing calls, so those are not seen here.
#
# Usage: unused_functions_test.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
source=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Functions that may be used by tests only. Each has its reason, and must be found unused, which also shows that this test works.
cat >"$folder/expected" <<'END'
quadrille::SharedFile::taken_bytes() const
END
# taken_bytes: by this tests find shared memory that is never released.

# The objects and their sources. Where a folder is compiled as one file, that file includes them.
grep -E '"file": "[^"]*/((src|tools|papers)/[^"]*\.cpp|unity_(src|tools|papers)_[^"]*)"' -B 1 "$build/compile_commands.json" |
  sed -nE 's,.* -o ([^ ]+) -c ([^ "]+)".*,\1 \2,p' | grep -Ev ' [^ ]*(papers/tests/|unity_papers_tests_)' >"$folder/objects"
cd "$build"
mapfile -t objects < <(cut -d ' ' -f 1 "$folder/objects")

# Constructors and destructors have several symbols for one function: C1 and C2, D0 to D2.
one_symbol='s/C2E/C1E/; s/D[02]Ev/D1Ev/'
nm -A --defined-only "${objects[@]}" | tr ':' ' ' | sed "$one_symbol" >"$folder/symbols"
readelf -rW "${objects[@]}" | sed "$one_symbol" >"$folder/relocations"
# The used symbols. Tables of virtual functions may name a function by its place in the section .text.
awk '
  FNR == NR { defined[$1, $2] = defined[$1, $2] " " $4; if (sub(/\.localalias$/, "")) print $4; next }
  $1 == "File:" { object = $2 }
  $1 == "Relocation" { in_data = $3 ~ /^.\.rela\.data/ }
  $3 ~ /^R_/ { print $5 }
  $3 ~ /^R_/ && in_data && $5 == ".text" { place = sprintf("%16s", $7); gsub(/ /, "0", place); print defined[object, place] }
' "$folder/symbols" "$folder/relocations" | tr ' ' '\n' | sort -u >"$folder/used"
awk '$3 ~ /^[TDRB]$/ && $4 ~ /^_ZNK?[RO]?9quadrille/ { print $4, $1 }' "$folder/symbols" | sort -u -k 1,1 |
  join -v 1 - "$folder/used" | sort -k 2 | join -1 2 -2 1 -o 2.2,1.1 - <(sort "$folder/objects") >"$folder/unreferenced"

# Leaves out what its source file or a public header mentions.
paste -d ' ' <(cut -d ' ' -f 1 "$folder/unreferenced") <(cut -d ' ' -f 2 "$folder/unreferenced" | c++filt) |
  awk -v headers="$(echo "$source"/include/quadrille/*.hpp)" '
    function contents(file,   line, text) {
      if (file in texts) return texts[file]
      while ((getline line <file) > 0)
        if (line ~ /^#include "\/.*\.cpp"/) { split(line, parts_of_line, "\""); text = text "\n" contents(parts_of_line[2]) }
        else { sub(/\/\/.*/, "", line); text = text "\n" line }
      close(file)
      return texts[file] = text "\n"
    }
    function word(name) { return "[^A-Za-z0-9_]" name "[^A-Za-z0-9_]" }
    # A header declares a name if it mentions it and defines its class or namespace.
    function is_public(scope, name,   count, files, text, i) {
      count = split(headers, files, " ")
      for (i = 1; i <= count; ++i) {
        text = contents(files[i])
        if (text ~ word(name) && text ~ "\n *(class|struct|namespace) (quadrille::)?" scope "[^A-Za-z0-9_;]") return 1
      }
      return 0
    }
    # Functions of headers beside the sources may call it inside their braces.
    function is_called_in_header(file, name,   command, line, found) {
      command = "sed -n \"s,^#include .\\(/.*\\)/[^/]*\\.cpp.*,\\1,p\" " file " | sort -u | while read -r folder; do cat \"$folder\"/*.hpp; done 2>/dev/null"
      while ((command | getline line) > 0) if ((line " ") ~ "(^    |[{]).*" word(name)) found = 1
      close(command)
      return found
    }
    # A definition begins in the first column, and has no brace or equals sign before the name.
    function is_mentioned(file, name,   count, lines, i) {
      count = split(contents(file), lines, "\n")
      for (i = 1; i <= count; ++i)
        if ((" " lines[i] " ") ~ word(name) && (lines[i] ~ /^ / || lines[i] ~ "^[^{=]*[{=].*" name)) return 1
      return 0
    }
    {
      file = $1
      sub(/^[^ ]* /, "")
      symbol = $0
      sub(/\[abi:cxx11\]/, "")
      sub(/\(.*/, "")
      count = split($0, parts, "::")
      name = parts[count]
      if (name !~ /^(operator|~)/ && name != parts[count - 1] && !is_called_in_header(file, name) && !is_public(parts[count - 1], name) && !is_mentioned(file, name)) print symbol
    }' | sort -u >"$folder/found"

if ! diff <(sort "$folder/expected") "$folder/found"; then
  echo "Functions with > are used by tests only: delete them. Functions with < are used, and not to be listed in $0."
  exit 1
fi
