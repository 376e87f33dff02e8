# Reads the JSON of many launches. Prints a line for each number of ranks, a column for each size, and geometric means. A cell is
# the median of the better vendor over its own launches, divided by the median of our best candidate over the launches of both MPIs.
# $sizes: the sizes given to the races. $against: "default" compares with each vendor's default, "forced" also with each of its
# algorithms, "copies" with the time of copying instead of a vendor.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def mean: (map(log) | add / length | exp);
def text: . * 100 | round / 100 | tostring;
def best: group_by(.candidate) | map(map(.seconds) | median) | min;
[inputs | ([input_filename | scan("forced[0-9]+")][0] // "") as $forced
 | ([input_filename | scan("part([0-9]+)")[0] | tonumber - 1][0] // 0) as $part
 | .ranks as $ranks | .transport as $transport
 | (.copies // [] | to_entries[] | {ranks: $ranks, size: .key, seconds: .value.copies_s, of: "copies", candidate: ""}),
   (.sizes // [] | to_entries[] | (.key + $part) as $size | .value.entries[] | select(.checked)
    | {ranks: $ranks, $size, seconds: .median_s}
      + if .algorithm != "vendor" then {of: "us", candidate: "\(.algorithm) \(.policy) \(.buffers)"}
        else {of: (if $forced == "" then "default" else "forced" end), candidate: "\($transport) \($forced)"} end)]
| map(.other = (if $against == "forced" then .of == "default" or .of == "forced" else .of == $against end))
| ($sizes | split(",")) as $sizes
| (group_by(.ranks) | map({
    ranks: .[0].ranks,
    cells: (group_by(.size) | map((map(select(.other)) | best) / (map(select(.of == "us")) | best)))})) as $lines
| (["ranks"] + $sizes + ["mean"]),
  ($lines[] | ["\(.ranks)"] + (.cells | map(text)) + [(.cells | mean | text)]),
  (["mean"] + ([range($sizes | length)] | map(. as $i | $lines | map(.cells[$i]) | mean | text)) + [$lines | map(.cells[]) | mean | text])
| @tsv
