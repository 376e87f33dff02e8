# From the JSON of races with auto: a table by number of ranks, then the cells in which auto is the slowest beside the best.
def percent($n): if $n == 0 then "–" else "\(. * 1000 / $n | round / 10) %" end;
def hundredths: . * 100 | round / 100;
([.[].sizes[] | select(.load.disturbs)] | length) as $disturbed
| [.[] | .collective as $collective | .transport as $mpi | .ranks as $ranks | .sizes[] | select(.load.disturbs | not)
 | (.entries | map(select(.is_auto)) | first) as $auto | select($auto != null and $auto.to_best != null)
 | (.entries | map(select(.checked)) | min_by(.median_s)) as $best
 | {mpi: $mpi, ranks: $ranks, collective: $collective, block: .block_bytes, auto: "\($auto.algorithm) \($auto.policy) \($auto.executor)",
    best: "\($best.algorithm) \($best.policy) \($best.executor)", ratio: $auto.to_best.median, lower: $auto.to_best.lower, upper: $auto.to_best.upper}]
| def line($name): length as $n | [$name, $n, (map(select(.lower > 1.05)) | length | percent($n)), (map(select(.lower > 1.25)) | length | percent($n)),
    (map(select(.ratio <= 1.3)) | length | percent($n))];
  (["ranks", "cells", "above 1.05", "above 1.25", "within 1.3"], (group_by([.mpi, .ranks])[] | line("\(.[0].mpi), \(.[0].ranks)")), line("all") | @tsv),
  "", "above 1.05: the whole interval of the ratio to the best of the race lies above it; within 1.3: the ratio is at most that",
  (if $disturbed > 0 then "left out: \($disturbed) cells, since other programs took cores from the ranks" else empty end), "",
  (map(select(.lower > 1.05)) | sort_by(-.lower)[:40][]
   | "\(.mpi) \(.ranks) \(.collective) \(.block): \(.ratio | hundredths) (\(.lower | hundredths)..\(.upper | hundredths)) \(.auto); best \(.best)")
