# From the JSON of races: a line for each MPI, number of ranks and executor. The error of a prediction is |predicted / measured - 1|. A cell is
# one size by one executor. It is right where the candidate of the least predicted time is the one of the least median or tied with it: the
# interval of the ratio of their times, taken round by round as in the race, reaches down to 1.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def percent: . * 100 | round | "\(.) %";
def error: .predicted_s / .median_s - 1 | fabs;
def rounds_s: .samples_s | map(median);

# Of sorted figures, the place of the lower end of the interval of their median, as src/plan/race/median.cpp has it: the last at which the number of
# heads in so many throws of a coin is at most that with a probability of no more than 2.5 %; the first place where there is none.
def lower_place: length as $n
  | [foreach range(0; $n) as $k ({next: pow(0.5; $n), sum: 0}; {sum: (.sum + .next), next: (.next * ($n - $k) / ($k + 1))}; .sum)]
  | map(select(. <= 0.025)) | [length - 1, 0] | max;
def lower: sort | .[lower_place];
def is_right: min_by(.predicted_s) as $predicted | min_by(.median_s) as $best
  | [$predicted, $best] | map(rounds_s) | transpose | map(.[0] / .[1]) | lower <= 1;
def line($head): $head + [(map(map(error)) | add | median | percent), ((map(select(is_right)) | length) as $right | "\($right) of \(length)", ($right / length | percent))];
[.[] | .transport as $mpi | .ranks as $ranks | .sizes[] | .entries | map(select(.predicted_s and .checked)) | group_by(.executor)[]
 | {mpi: $mpi, ranks: $ranks, executor: .[0].executor, entries: .}]
| ["MPI", "ranks", "executor", "median error", "best predicted", "share"],
  (group_by([.ranks, .mpi, .executor])[] | .[0] as $first | map(.entries) | line([$first.mpi, "\($first.ranks)", $first.executor])),
  (group_by(.ranks)[] | .[0].ranks as $ranks | map(.entries) | line(["all", "\($ranks)", "all"])),
  (map(.entries) | line(["all", "all", "all"]))
| @tsv
