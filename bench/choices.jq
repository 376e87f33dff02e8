# Reads the JSON of races with auto. Prints a table by number of ranks, then the cells in which auto is slowest compared with the
# best candidate. Files of the same name come from several launches of the same races. Their times are added over the launches,
# repetition by repetition.
def percent($n): if $n == 0 then "–" else "\(. * 1000 / $n | round / 10) %" end;
def hundredths: . * 100 | round / 100;
def middle: sort | .[length / 2 | floor];
def way: "\(.algorithm) \(.policy) \(.executor)";
def repetitions_s: .samples_s | map(middle);
def added: transpose | map(add);
# The median, and the order statistics that enclose it with 95 % confidence.
def interval: sort | length as $n | ([0, ($n / 2 - 0.98 * ($n | sqrt) | floor)] | max) as $outside
  | {ratio: middle, lower: .[$outside], upper: .[$n - 1 - $outside]};
def compared:  # compares auto with the best candidate, over the launches of a cell
  length as $launches
  | [.[].entries | map(select(.is_auto and .checked))[0] | select(. != null)] as $auto
  | select(($auto | length) == $launches)
  | ([.[].entries[] | select(.checked)] | group_by(way) | map(select(length == $launches))
     | min_by(map(repetitions_s) | added | middle)) as $best
  | {auto: ($auto[0] | way), best: ($best[0] | way)}
    + ([($auto | map(repetitions_s) | added), ($best | map(repetitions_s) | added)] | transpose | map(.[0] / .[1]) | interval);
[inputs | (input_filename | split("/") | last) as $file
 | {mpi: .transport, ranks, collective} as $race | .sizes[] | $race + {file: $file, block: .block_bytes, disturbed: .load.disturbs, entries}]
| (map(select(.disturbed)) | length) as $disturbed
| map(select(.disturbed | not)) | group_by([.file, .block]) | map((.[0] | {mpi, ranks, collective, block}) + compared)
| def line($name): length as $n | [$name, $n, (map(select(.lower > 1.05)) | length | percent($n)), (map(select(.lower > 1.25)) | length | percent($n)),
    (map(select(.ratio <= 1.3)) | length | percent($n))];
  (["ranks", "cells", "above 1.05", "above 1.25", "within 1.3"], (group_by([.mpi, .ranks])[] | line("\(.[0].mpi), \(.[0].ranks)")), line("all") | @tsv),
  "", "above 1.05: the whole interval of the ratio to the best lies above it; within 1.3: the ratio is at most that",
  (if $disturbed > 0 then "left out: \($disturbed) races, since other programs took cores from the ranks" else empty end), "",
  (map(select(.lower > 1.05)) | sort_by(-.lower)[:40][]
   | "\(.mpi) \(.ranks) \(.collective) \(.block): \(.ratio | hundredths) (\(.lower | hundredths)..\(.upper | hundredths)) \(.auto); best \(.best)")
