# Medians of measured figures, with the interval that holds the median with a probability of at least 95 %. For `include`.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;

# Takes n sorted figures. Returns the index of the interval's lower end, as src/tune/race/median.cpp computes it: the largest k for
# which n tosses of a coin give at most k heads with a probability of at most 2.5 %, or 0 if there is none.
def lower_place: length as $n
  | [foreach range(0; $n) as $k ({next: pow(0.5; $n), sum: 0}; {sum: (.sum + .next), next: (.next * ($n - $k) / ($k + 1))}; .sum)]
  | map(select(. <= 0.025)) | [length - 1, 0] | max;
def estimate: sort | lower_place as $place | {median: median, low: .[$place], high: .[length - 1 - $place]};

# The ratio of two lists of times whose k-th elements were measured in the same repetition.
def ratio($above; $below): [range($above | length) | $above[.] / $below[.]] | estimate;

def fixed($digits): pow(10; $digits) as $unit | . * $unit | round / $unit | tostring
  | if $digits == 0 then . else (split(".") | .[0] + "." + ((.[1] // "") + "0000")[:$digits]) end;
def of_estimate: "\(.median | fixed(2)) [\(.low | fixed(2)), \(.high | fixed(2))]";
