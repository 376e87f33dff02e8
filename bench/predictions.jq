# From the JSON of races: a line for each MPI, number of ranks and executor. The error of a prediction is |predicted / measured - 1|. A cell is
# one size; it is right where the candidate of the least predicted time is the one of the least median, or its interval meets that one's.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def percent: . * 100 | round | "\(.) %";
def error: .predicted_s / .median_s - 1 | fabs;
def is_right: min_by(.predicted_s) as $predicted | min_by(.median_s) as $best | $predicted.lower_s <= $best.upper_s;
def line($head): $head + [(map(map(error)) | add | median | percent), ((map(select(is_right)) | length) as $right | "\($right) of \(length)", ($right / length | percent))];
[.[] | .transport as $mpi | .ranks as $ranks | .sizes[] | .entries | map(select(.predicted_s and .checked)) | group_by(.executor)[]
 | {mpi: $mpi, ranks: $ranks, executor: .[0].executor, entries: .}]
| ["MPI", "ranks", "executor", "median error", "best predicted", "share"],
  (group_by([.ranks, .mpi, .executor])[] | .[0] as $first | map(.entries) | line([$first.mpi, "\($first.ranks)", $first.executor])),
  (group_by(.ranks)[] | .[0].ranks as $ranks | map(.entries) | line(["all", "\($ranks)", "all"])),
  (map(.entries) | line(["all", "all", "all"]))
| @tsv
