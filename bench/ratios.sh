# SPDX-License-Identifier: BSD-3-Clause
# Scripts that compare our times with those of the MPI libraries source this file instead of mpi_program.sh. Their programs print
# lines of words that are separated by tabs: MPI, ranks, what is measured, bytes, time of the MPI library, our time, their ratio, its
# interval (two words). A script calls `begin_ratios` instead of `begin`, then `measure`, then `table` for each of its tables.
source bench/mpi_program.sh
lines='' kept=''

# A script with further options redefines this function, as own_option.
more_options() { :; }
own_option() {
  taken=0
  if [ "$1" = --lines ]; then lines=$2 taken=2; else more_options "$@"; fi
}

begin_ratios() {
  begin
  found=$(mktemp)
  trap 'rm -f "$found"*; leave_control_group' EXIT
}

# Adds the program's lines, for each MPI of `mpis` and each number of `all_ranks`, to the file `found`. If the script has set a
# folder `kept`, finished launches are kept there, and their lines are taken instead of running them again.
measure() {
  local mpi ranks file
  for mpi in "${mpis[@]}"; do
    for ranks in $all_ranks; do
      if [ "$mpi" = mpich ] && [ "$ranks" -gt 8 ]; then continue; fi  # MPICH's collectives wait without yielding
      file=${kept:+$kept/${mpi}_${ranks}_${launch}${preloaded:+_preloaded}}
      if [ -z "$file" ] || [ ! -e "$file" ]; then
        talk "$mpi, $ranks ranks"
        run "$mpi" "$ranks" >"${file:-$found.new}.part"
        mv "${file:-$found.new}.part" "${file:-$found.new}"
      fi
      cat "${file:-$found.new}" >>"$found"
    done
  done
  [ -z "$lines" ] || cp "$found" "$lines"
}

# An AWK expression: MPI library / ours; `~` means that the interval contains 1.
ratio='sprintf("%.2f%s", $7, $8 <= 1 && 1 <= $9 ? "~" : "")'
# If `measure` was called several times: the worst ratio, and the median one.
worst_launch='worst($7)'

table() {  # table WHAT AWK_CONDITION AWK_VALUE: a column for each MPI and number of ranks; WHAT is the head of the first column
  awk -F'\t' -v what="$1" '
    function size(bytes) {
      return bytes == 0 ? "-" : bytes < 1024 ? bytes " B" : bytes < 1048576 ? bytes / 1024 " KiB" : bytes / 1048576 " MiB"
    }
    function least(a, b) { return a < b ? a : b }
    function worst(ratio,    place, count) {  # of the lines of this cell so far; keeps their ratios sorted
      count = ++launches[row, column]
      for (place = count; place > 1 && kept[row, column, place - 1] > ratio + 0; --place)
        kept[row, column, place] = kept[row, column, place - 1]
      kept[row, column, place] = ratio + 0
      return sprintf("%.2f (%.2f)", kept[row, column, 1],
                     (kept[row, column, int((count + 1) / 2)] + kept[row, column, int(count / 2) + 1]) / 2)
    }
    '"$2"' {
      row = $3 "\t" size($4); column = $1 " " $2
      if (!(row in seen_row)) { seen_row[row] = 1; rows[++row_count] = row }
      if (!(column in seen_column)) { seen_column[column] = 1; columns[++column_count] = column }
      cell[row, column] = '"$3"'
    }
    END {
      if (row_count == 0) exit
      printf "%s\tsize", what
      for (c = 1; c <= column_count; ++c) printf "\t%s", columns[c]
      print ""
      for (r = 1; r <= row_count; ++r) {
        printf "%s", rows[r]
        for (c = 1; c <= column_count; ++c) printf "\t%s", cell[rows[r], columns[c]]
        print ""
      }
    }' "$found" | column -t -s "$(printf '\t')"
}
