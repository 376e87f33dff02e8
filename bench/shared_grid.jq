# Reads the JSON of many launches. Prints a line for each number of ranks, a column for each size, and geometric means of the medians.
# A cell has two ratios of times: of the worst launch, and in parentheses of the medians. The median is that of the better vendor over
# its own launches, divided by the median of our best candidate over the launches of both MPIs. The worst launch compares times of one
# launch: its vendor's time, divided by the time of that same best candidate; in launches of the slower vendor, times the ratio of the
# vendors' medians.
# $sizes: the sizes given to the races. $against: "default" compares with each vendor's default, "forced" also with each of its
# algorithms, "copies" with the time of copying instead of a vendor; then there is no worst launch.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def mean: (map(log) | add / length | exp);
def text: . * 100 | round / 100 | tostring;
def medians: group_by(.candidate) | map({candidate: .[0].candidate, seconds: (map(.seconds) | median)});
def cell:
  (map(select(.of == "us")) | medians | min_by(.seconds)) as $ours
  | (map(select(.other)) | medians) as $others
  | ($others | min_by(.seconds).seconds) as $other_s
  | {median: ($other_s / $ours.seconds),
     worst: (group_by(.launch) | map(
       (map(select(.candidate == $ours.candidate))[0]) as $mine
       | (map(select(.of == "default" and .other))[0]) as $vendor
       | select($mine and $vendor)
       | ($others[] | select(.candidate == $vendor.candidate).seconds) as $vendor_s
       | $vendor.seconds * $other_s / $vendor_s / $mine.seconds) | min)};
def shown: if .worst then "\(.worst | text) (\(.median | text))" else .median | text end;
[inputs | ([input_filename | scan("forced[0-9]+")][0] // "") as $forced
 | ([input_filename | scan("part([0-9]+)")[0] | tonumber - 1][0] // 0) as $part
 | (input_filename | sub("_(part|forced).*|[.]json"; "")) as $launch
 | .ranks as $ranks | .transport as $transport
 | (.copies // [] | to_entries[] | {ranks: $ranks, size: .key, seconds: .value.copies_s, of: "copies", candidate: "", $launch}),
   (.sizes // [] | to_entries[] | (.key + $part) as $size | .value.entries[] | select(.checked)
    | {ranks: $ranks, $size, seconds: .median_s, $launch}
      + if .algorithm != "vendor" then {of: "us", candidate: "\(.algorithm) \(.policy) \(.buffers)"}
        else {of: (if $forced == "" then "default" else "forced" end), candidate: "\($transport) \($forced)"} end)]
| map(.other = (if $against == "forced" then .of == "default" or .of == "forced" else .of == $against end))
| ($sizes | split(",")) as $sizes
| (group_by(.ranks) | map({ranks: .[0].ranks, cells: (group_by(.size) | map(cell))})) as $lines
| (["ranks"] + $sizes + ["mean"]),
  ($lines[] | ["\(.ranks)"] + (.cells | map(shown)) + [(.cells | map(.median) | mean | text)]),
  (["mean"] + ([range($sizes | length)] | map(. as $i | $lines | map(.cells[$i].median) | mean | text))
   + [$lines | map(.cells[].median) | mean | text])
| @tsv
