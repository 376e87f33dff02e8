# Reads the lines of dropin_mpi. Prints, by $form: `cells`, a table of the ratios MPI library / drop-in and their geometric means;
# `below`, the cell with the least ratio and all cells that miss the goal (a median of 0.9, an interval that reaches 0.95); `sizes`,
# 1,000 sizes in turn; `pass`, the cost of calls that are passed through; `csv`, all cells.
include "medians";
def bytes: if . >= 1048576 then "\(. / 1048576) MiB" elif . >= 1024 then "\(. / 1024) KiB" else "\(.) B" end;
def geometric_mean: map(log) | add / length | exp;
def times: "\(.vendor | fixed(2)) / \(.dropin | fixed(2))";
def cell: [.mpi, "\(.ranks)", .what, (.bytes | bytes), of_estimate, times];
def table: (map(.bytes) | unique) as $sizes | ($sizes | map("")) as $blank
  | ["MPI", "ranks", "collective"] + ($sizes | map(bytes)) + ["mean"],
    (group_by([.mpi, .ranks, .what])[] | . as $row
     | [.[0].mpi, "\(.[0].ranks)", .[0].what] + ($sizes | map(. as $size | [$row[] | select(.bytes == $size).median] | if . == [] then "" else .[0] | fixed(2) end))
       + [map(.median) | geometric_mean | fixed(2)]),
    (group_by([.mpi, .ranks])[] | [.[0].mpi, "\(.[0].ranks)", "all"] + $blank + [map(.median) | geometric_mean | fixed(2)]),
    ["all", "all", "all"] + $blank + [map(.median) | geometric_mean | fixed(2)];

map(select(.part == "pass")) as $passes
| map(select(.part != "pass")) | group_by([.mpi, .ranks, .part, .what, .bytes])
# Joins the repetitions of all launches of a cell.
| map(.[0] + ratio(map(.vendor_us[]); map(.dropin_us[])) + {vendor: (map(.vendor_us[]) | median), dropin: (map(.dropin_us[]) | median)})
| map(select(.part == "cells")) as $cells | map(select(.part == "sizes")) as $sizes
| if $form == "csv" then
    ["mpi", "ranks", "part", "what", "bytes", "vendor_us", "dropin_us", "ratio", "low", "high"],
    (.[] | [.mpi, .ranks, .part, .what, .bytes, .vendor, .dropin, .median, .low, .high]) | @csv
  elif $form == "cells" then $cells | select(length > 0) | table | @tsv
  elif $form == "below" then $cells | select(length > 0)
    | ["MPI", "ranks", "collective", "size", "ratio", "vendor / drop-in, us"], (sort_by(.median) | .[0], (.[1:][] | select(.median < 0.9 or .high < 0.95)) | cell) | @tsv
  elif $form == "sizes" then $sizes | select(length > 0)
    | ["MPI", "ranks", "1,000 sizes", "ratio", "vendor / drop-in, us"], (.[] | [.mpi, "\(.ranks)", .what, of_estimate, times]) | @tsv
  else $passes | select(length > 0)
    | ["MPI", "ranks", "passed through", "call / ns", "more / ns", "interval"],
      (.[] | [.mpi, "\(.ranks)", .what, (.vendor_ns | fixed(0)), (.more_ns | fixed(0)), "[\(.low | fixed(0)), \(.high | fixed(0))]"]) | @tsv
  end
