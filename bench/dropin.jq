# From the lines of dropin_mpi: tables of the ratios MPI library's / drop-in's, the geometric mean and the cells that are below what is promised.
include "medians";
def bytes: if . >= 1048576 then "\(. / 1048576) MiB" elif . >= 1024 then "\(. / 1024) KiB" else "\(.) B" end;
def geometric_mean: map(log) | add / length | exp;
# Launches of one cell are put together.
map(select(.part != "pass")) | group_by([.mpi, .ranks, .part, .what, .bytes])
| map(.[0] + ratio(map(.vendor_us[]); map(.dropin_us[])) + {vendor: (map(.vendor_us[]) | median), dropin: (map(.dropin_us[]) | median)})
| if $form == "csv" then
    (["mpi", "ranks", "part", "what", "bytes", "vendor_us", "dropin_us", "ratio", "low", "high"] | @csv),
    (.[] | [.mpi, .ranks, .part, .what, .bytes, .vendor, .dropin, .median, .low, .high] | @csv)
  else
    (map(select(.part == "cells")) | select(length > 0)
     | (map(.bytes) | unique) as $sizes
     | (["MPI", "ranks", "collective"] + ($sizes | map(bytes)) + ["mean"]),
       (group_by([.mpi, .ranks, .what])[] | . as $row
        | [.[0].mpi, "\(.[0].ranks)", .[0].what] + ($sizes | map(. as $size | $row | map(select(.bytes == $size)) | .[0].median | if . then fixed(2) else "" end))
          + [map(.median) | geometric_mean | fixed(2)]),
       (group_by([.mpi, .ranks])[] | [.[0].mpi, "\(.[0].ranks)", "all"] + ($sizes | map("")) + [map(.median) | geometric_mean | fixed(2)]),
       ["all", "", "all"] + ($sizes | map("")) + [map(.median) | geometric_mean | fixed(2)],
       (["", "", "cells below 0.90, or whose interval is below 0.95:"]),
       (sort_by(.median)[] | select(.median < 0.9 or .high < 0.95)
        | [.mpi, "\(.ranks)", .what, (.bytes | bytes), of_estimate, "\(.vendor | fixed(2)) / \(.dropin | fixed(2)) us"]),
       (["", "", "the worst cell:"]), (min_by(.median) | [.mpi, "\(.ranks)", .what, (.bytes | bytes), of_estimate])
     | @tsv),
    (map(select(.part == "sizes"))[] | [.mpi, "\(.ranks)", .what, "1,000 sizes", of_estimate, "\(.vendor | fixed(2)) / \(.dropin | fixed(2)) us"] | @tsv)
  end
