# From the JSON of many launches: a line for each number of ranks, a column for each size, and geometric means. A cell is the better vendor's
# median over its launches, over our median over all launches, whoever's they are; of ours it is the one candidate whose median is least.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def mean: (map(log) | add / length | exp);
def text: . * 100 | round / 100 | tostring;
def best: group_by(.candidate) | map(map(.seconds) | median) | min;
[.[] | .ranks as $ranks | .transport as $transport | .sizes[] | .block_bytes as $size | .entries[] | select(.checked)
 | {ranks: $ranks, size: $size, seconds: .median_s, vendor: (.algorithm == "vendor"),
    candidate: (if .algorithm == "vendor" then $transport else "\(.algorithm) \(.policy) \(.buffers)" end)}]
| (map(.size) | unique) as $sizes
| (group_by(.ranks) | map({
    ranks: .[0].ranks,
    cells: (group_by(.size) | map((map(select(.vendor)) | best) / (map(select(.vendor | not)) | best)))})) as $lines
| (["ranks"] + ($sizes | map("\(.) B")) + ["mean"]),
  ($lines[] | ["\(.ranks)"] + (.cells | map(text)) + [(.cells | mean | text)]),
  (["mean"] + ([range($sizes | length)] | map(. as $i | $lines | map(.cells[$i]) | mean | text)) + [$lines | map(.cells[]) | mean | text])
| @tsv
