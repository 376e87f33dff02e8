# Reads the JSON of races. Prints a line for each MPI, number of ranks and executor. The error of a prediction is
# |predicted / measured - 1|. A cell is one size by one executor. Its prediction is right if the candidate with the least predicted
# time has the least median or is tied with that candidate: the interval of the ratio of their times, repetition by repetition as in
# a race, reaches down to 1.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def percent: . * 100 | round | "\(.) %";
def error: .predicted_s / .median_s - 1 | fabs;
def repetitions_s: .samples_s | map(median);

# Takes n sorted figures. Returns the index of the lower end of their median's interval, as src/tune/race/median.cpp computes it:
# the largest k for which n tosses of a coin give at most k heads with a probability of at most 2.5 %, or 0 if there is none.
def lower_place: length as $n
  | [foreach range(0; $n) as $k ({next: pow(0.5; $n), sum: 0}; {sum: (.sum + .next), next: (.next * ($n - $k) / ($k + 1))}; .sum)]
  | map(select(. <= 0.025)) | [length - 1, 0] | max;
def lower: sort | .[lower_place];
def is_right: min_by(.predicted_s) as $predicted | min_by(.median_s) as $best
  | [$predicted, $best] | map(repetitions_s) | transpose | map(.[0] / .[1]) | lower <= 1;
def line($head): $head + [(map(map(error)) | add | median | percent), ((map(select(is_right)) | length) as $right | "\($right) of \(length)", ($right / length | percent))];
[.[] | .transport as $mpi | .ranks as $ranks | .sizes[] | .entries | map(select(.predicted_s and .checked and (.assumed | not))) | group_by(.executor)[]
 | {mpi: $mpi, ranks: $ranks, executor: .[0].executor, entries: .}]
| ["MPI", "ranks", "executor", "median error", "best predicted", "share"],
  (group_by([.ranks, .mpi, .executor])[] | .[0] as $first | map(.entries) | line([$first.mpi, "\($first.ranks)", $first.executor])),
  (group_by(.ranks)[] | .[0].ranks as $ranks | map(.entries) | line(["all", "\($ranks)", "all"])),
  (map(.entries) | line(["all", "all", "all"]))
| @tsv
