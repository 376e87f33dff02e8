# Of figures that were measured by turns: their median, and the interval that holds it with a probability of at least 95 %. For `include`.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;

# Of sorted figures, the place of the lower end, as src/plan/race/median.cpp has it: the last at which the number of heads in so many throws of a coin
# is at most that with a probability of no more than 2.5 %; the first place where there is none.
def lower_place: length as $n
  | [foreach range(0; $n) as $k ({next: pow(0.5; $n), sum: 0}; {sum: (.sum + .next), next: (.next * ($n - $k) / ($k + 1))}; .sum)]
  | map(select(. <= 0.025)) | [length - 1, 0] | max;
def estimate: sort | lower_place as $place | {median: median, low: .[$place], high: .[length - 1 - $place]};

# Of pairs, round by round.
def ratio($above; $below): [range($above | length) | $above[.] / $below[.]] | estimate;

def fixed($digits): pow(10; $digits) as $unit | . * $unit | round / $unit | tostring
  | if $digits == 0 then . else (split(".") | .[0] + "." + ((.[1] // "") + "0000")[:$digits]) end;
def of_estimate: "\(.median | fixed(2)) [\(.low | fixed(2)), \(.high | fixed(2))]";
