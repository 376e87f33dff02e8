# From the JSON of many launches: a line for each number of ranks, a column for each size, and geometric means. A cell is the better vendor's
# median over the launches, over ours under whichever of the two launchers suits it better (in each launch the best candidate).
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def mean: (map(log) | add / length | exp);
def text: . * 100 | round / 100 | tostring;
[.[] | .ranks as $ranks | .transport as $transport | .sizes[]
 | {ranks: $ranks, transport: $transport, size: .block_bytes,
    vendor: (.entries | map(select(.algorithm == "vendor")) | first | .median_s),
    ours: (.entries | map(select(.algorithm != "vendor" and .checked)) | map(.median_s) | min)}]
| (map(.size) | unique) as $sizes
| (group_by(.ranks) | map({
    ranks: .[0].ranks,
    cells: (group_by(.size) | map(group_by(.transport)
                                  | (map(map(.vendor) | median) | min) / (map(map(.ours) | median) | min)))})) as $lines
| (["ranks"] + ($sizes | map("\(.) B")) + ["mean"]),
  ($lines[] | ["\(.ranks)"] + (.cells | map(text)) + [(.cells | mean | text)]),
  (["mean"] + ([range($sizes | length)] | map(. as $i | $lines | map(.cells[$i]) | mean | text)) + [$lines | map(.cells[]) | mean | text])
| @tsv
