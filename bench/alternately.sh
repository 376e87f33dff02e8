# SPDX-License-Identifier: BSD-3-Clause
# Sourced by programs.sh and witnesses.sh: runs programs alternately without and with the drop-in, and compares their results. The
# caller sources the recipes of its programs and sets `quadrille`, `folder`, `repetitions`, and, or empty: `until`, `learned`, `heap`,
# and `most_seconds`, after which no further repetition starts.
seconds() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.3f", b - a}'; }

# compare NAME A B: prints "same", or the largest relative difference of two numbers at the same place of the files A and B, or
# "differ" if words other than numbers differ.
compare() {
  if cmp -s "$2" "$3"; then echo same; return; fi
  paste -d '\n' "$2" "$3" | awk -v most="${tolerances[$1]:-0}" '
    function number(word) {return word ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/}
    NR % 2 {count = split($0, words); next}
    {if (NF != count) {print "differ"; bad = 1; exit}
     for (i = 1; i <= NF; ++i) if (words[i] != $i) {
       if (!number(words[i]) || !number($i)) {print "differ"; bad = 1; exit}
       size = words[i] < 0 ? -words[i] : words[i]; off = words[i] - $i; if (off < 0) off = -off
       if (size < 1) size = 1
       if (off / size > far) far = off / size}}
    END {if (!bad) {if (far <= most) printf "to %.0e\n", far; else printf "differ by %.0e\n", far}}'
}

run_once() {  # run_once NAME RANKS REPETITION WAY: prints lines of JSON
  local name=$1 ranks=$2 repetition=$3 way=$4 start end wrap=()
  [ "$way" = without ] || wrap=(env ${learned:+XDG_CACHE_HOME=$PWD/cache} "$quadrille" wrap $heap)
  [ "$way" = without ] || [ -n "$learned" ] || wrap+=(--no-learn)
  [ "$way" = without ] || [ "$heap" != alone ] || wrap=(env LD_PRELOAD="${quadrille%/bin/*}/lib/libquadrille-heap.so")
  local run=("run_$name") result=("result_$name") also=("also_$name")
  if is_kernel "$name"; then run=(run_kernel "$name") result=(result_kernel) also=(also_kernel "$name"); fi
  start=$EPOCHREALTIME
  "${run[@]}" "$ranks" ${wrap[@]+"${wrap[@]}"} 2>errors.txt || { cat errors.txt >&2; fail "$name ended with an error, $way the drop-in"; }
  end=$EPOCHREALTIME
  "${result[@]}" >"result_${way}_$repetition" || true
  [ -s "result_${way}_$repetition" ] || fail "$name has printed no result, $way the drop-in; see $PWD"
  jq -nc --arg name "$name" --argjson ranks "$ranks" --arg way "$way" --argjson s "$(seconds "$start" "$end")" '{$name, $ranks, $way, $s}'
  if declare -F "${also[0]}" >/dev/null; then
    "${also[@]}" | jq -Rc --argjson ranks "$ranks" --arg way "$way" 'split(" ") | {name: .[0], $ranks, $way, s: (.[1] | tonumber)}'
  fi
}

is_narrow() {  # is_narrow NAME FILE: is the interval of the ratio narrower than --until?
  jq -e -s --arg name "$1" --argjson until "$until" -L "${quadrille%/build/*}/bench" 'include "medians";
    map(select(.name == $name)) as $runs
    | [$runs[] | select(.way == "without").s] as $without | [$runs[] | select(.way == "with").s] as $with
    | ratio($without; $with) | .high - .low < $until' "$2" >/dev/null
}

measure() {  # measure NAME RANKS: prints lines of JSON
  local name=$1 ranks=$2 repetition way ways=(without with) prepare=prepare_$1 began=$SECONDS
  if is_kernel "$name"; then prepare=prepare_kernel; fi
  mkdir -p "$folder/$name"
  cd "$folder/$name"
  "$prepare" >prepare.txt 2>&1 || { cat prepare.txt >&2; fail "The input of $name cannot be made"; }
  : >runs.json
  rm -rf cache
  for ((repetition = 0; repetition < ${learned:-0}; ++repetition)); do run_once "$name" "$ranks" learned with >/dev/null; done
  for ((repetition = 0; repetition < (repetitions > 25 ? repetitions : 25); ++repetition)); do
    [ -z "$most_seconds" ] || [ "$repetition" -lt 3 ] || [ $((SECONDS - began)) -lt "$most_seconds" ] || break
    if [ "$repetition" -ge "$repetitions" ] && { [ -z "$until" ] || is_narrow "$name" runs.json; }; then break; fi
    for way in "${ways[@]}"; do run_once "$name" "$ranks" "$repetition" "$way" >>runs.json; done
    ways=("${ways[1]}" "${ways[0]}")
  done
  cat runs.json
  local made=$repetition
  for ((repetition = 0; repetition < made; ++repetition)); do
    for way in without with; do
      jq -nc --arg name "$name" --argjson ranks "$ranks" --arg way "$way" --arg same "$(compare "$name" result_without_0 "result_${way}_$repetition")" '{$name, $ranks, $way, $same}'
    done
  done
  cd "$OLDPWD"
}
