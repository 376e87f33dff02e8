#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Renews the printed outputs, tables and files that the documentation quotes. Each quotation follows a mark:
#   <!-- output of: COMMAND -->         a code block follows
#   <!-- timed output of: COMMAND -->   the same, but the figures differ in each run
#   <!-- slow output of: COMMAND -->    the same, of a command that takes a minute
#   <!-- contents of: FILE -->          a code block follows
#   <!-- contents of: FILE, NAME -->    the same, with the lines of the file between "// part: NAME" and "// end"
#   <!-- table by: COMMAND -->          lines of Markdown follow, up to <!-- end of table -->
#   <!-- reproduction by: COMMAND -->   the same, in a page of docs/reproduction, beside which its pictures (-o FOLDER) are
#   <!-- picture by: COMMAND -->        an image follows, ![..](FILE): the file holds the output of the command
# Usage: update_docs.sh [--check | --timed] [BUILD_FOLDER]
# With --check it changes nothing, and exits 1 with the difference if something is stale; slow outputs, and the reproduction, are then
# checked only with QUADRILLE_LONG=1. Timed outputs are renewed only with --timed,
# because on a busy machine their figures are worse than the old ones.
set -euo pipefail
check=false timed=false
case ${1:-} in
  --check) check=true; shift ;;
  --timed) timed=true; shift ;;
esac
cd "$(dirname "$0")/.."
build=$(cd "${1:-build/release}" && pwd)
export PATH=$build/bin:$build/examples:$PATH COLUMNS=100 XDG_CONFIG_HOME=/nonexistent QUADRILLE_WISDOM=off  # without the user's machines and wisdom

quote() {  # the code block for one mark
  local kind=$1 what=$2 language=cpp
  if [ "$kind" = "contents of" ]; then
    case $what in *.py) language=python ;; *.c | *.c,*) language=c ;; *.f90) language=fortran ;; esac
    printf '```%s\n' $language
    if [[ $what == *', '* ]]; then part "${what%%, *}" "${what#*, }"; else grep -vE '^(//|#|!) SPDX' "$what"; fi
  else
    printf '```text\n$ %s\n' "$(sed -E 's/run_mpi (openmpi|mpich)/mpirun -n/' <<<"$what")"
    printed "$what"
  fi
  printf '```\n'
}

part() {  # part FILE NAME: prints the part's lines, without the indentation of the mark
  awk -v name="$2" '
    /^ *\/\/ part: / && substr($0, index($0, "part: ") + 6) == name { inside = 1; found = 1; indentation = index($0, "/") - 1; next }
    inside && /^ *\/\/ end$/ { inside = 0; next }
    inside { print substr($0, indentation + 1) }
    END { exit !found }' "$1" || { printf 'no part %s in %s\n' "$2" "$1" >&2; exit 1; }
}

printed() {  # prints the output of a command, which must succeed
  bash -c "source scripts/setup.sh; $1" </dev/null 2>/dev/null || { printf 'this failed: %s\n' "$1" >&2; exit 1; }
}

renew() {  # renew FILE FRESH: takes the fresh picture over, or says that the file is stale
  if cmp -s "$1" "$2"; then return; fi
  printf '%s %s\n' "$($check && echo stale: || echo updated)" "$1" >&2
  if $check; then stale=1; else cat "$2" >"$1"; fi
}

picture() {  # picture DOCUMENT IMAGE COMMAND: renews the image's file
  local fresh
  [[ $2 =~ ^'!['.*']('(.*)')'$ ]] || { printf 'no image after a mark\n' >&2; return 1; }
  fresh=$(mktemp)
  printed "$3" >"$fresh"
  renew "$(dirname "$1")/${BASH_REMATCH[1]}" "$fresh"
  rm -f "$fresh"
}

reproduction() {  # reproduction DOCUMENT COMMAND: prints its lines, renews its pictures
  local fresh svg
  fresh=$(mktemp -d)
  printed "$2 -o $fresh" | sed 's,](reproduction/,](,g'  # the command names the pictures as a page of docs would
  for svg in "$fresh"/*.svg; do renew "$(dirname "$1")/$(basename "$svg")" "$svg"; done
  rm -rf "$fresh"
}

render() {
  local line kind what until="" drawn=""
  while IFS= read -r line; do
    if [ -n "$until" ]; then  # inside the old quotation
      if [[ $until == fence && $line == '```'* ]]; then until=fence_end; continue; fi
      if [[ $until == fence ]]; then printf 'no code block after a mark\n' >&2; return 1; fi
      if [[ $until == fence_end ]]; then
        [[ $line != '```' ]] || until=""
        continue
      fi
      [[ $line == '<!-- end of table -->' ]] || continue
      until=""
    fi
    printf '%s\n' "$line"
    if [ -n "$drawn" ]; then
      picture "$1" "$line" "$drawn" || return 1
      drawn=""
    fi
    if [[ $line =~ ^'<!-- '(output of|timed output of|slow output of|contents of|table by|reproduction by|picture by)': '(.*)' -->'$ ]]; then
      kind=${BASH_REMATCH[1]} what=${BASH_REMATCH[2]}
      if [ "$kind" = "timed output of" ] && ! $timed; then continue; fi
      if [[ $kind =~ ^(slow output of|reproduction by)$ ]] && $check && [ "${QUADRILLE_LONG:-0}" = 0 ]; then continue; fi
      if [ "$kind" = "picture by" ]; then
        drawn=$what
      elif [ "$kind" = "table by" ] || [ "$kind" = "reproduction by" ]; then
        until=table
        if [ "$kind" = "table by" ]; then printed "$what"; else reproduction "$1" "$what"; fi
      else
        until=fence
        quote "$kind" "$what"
      fi
    fi
  done <"$1"
}

stale=0
for document in README.md CONTRIBUTING.md docs/*.md docs/*/*.md; do
  fresh=$(mktemp)
  render "$document" >"$fresh"
  if $check; then
    diff -u "$document" "$fresh" || stale=1
  elif ! cmp -s "$document" "$fresh"; then
    cat "$fresh" >"$document"
    echo "updated $document"
  fi
  rm -f "$fresh"
done
exit $stale
