# Reads the JSON of launches of both MPIs with one distribution of ranks. Prints a line for each size. Times are medians over the
# launches. The ratio is the median of the better vendor, divided by the median of our best candidate under the launcher that suits
# it better. The range in brackets is that of the ratios of single launches.
# `link` is a lower bound: the time that the busiest link needs for the bytes that leave the host which sends most, at 100 Mbit/s,
# with 90 bytes of headers and gaps for each 1,448 bytes.
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def text: . * 100 | round / 100 | tostring;
def milliseconds: . * 1e5 | round / 100 | "\(.) ms";
def link($size): $slots | split(",") | map(tonumber) | add as $ranks | map(. * ($ranks - .)) | max * $size * (1538 / 1448) / 12.5e6;
def size: if . >= 1024 then "\(. / 1024) KiB" else "\(.) B" end;
[.[] | .transport as $mpi | .seed as $launch | .sizes[] | .block_bytes as $size | .entries[]
 | {mpi: $mpi, launch: $launch, size: $size, algorithm, executor, seconds: .median_s, checked}]
| group_by(.size)[]
| .[0].size as $size
| (map(select(.algorithm == "vendor")) | group_by(.mpi) | map({mpi: .[0].mpi, seconds: (map(.seconds) | median), each: map(.seconds)})) as $vendors
| (map(select(.algorithm != "vendor" and .checked)) | group_by([.mpi, .algorithm, .executor])
   | map({name: "\(.[0].algorithm) \(.[0].executor) \(.[0].mpi)", seconds: (map(.seconds) | median), each: map(.seconds)})
   | min_by(.seconds)) as $ours
| ($vendors | min_by(.seconds)) as $better
| [$slots, ($size | size), (link($size) | milliseconds), ($vendors[] | select(.mpi == "openmpi") | .seconds | milliseconds),
   ($vendors[] | select(.mpi == "mpich") | .seconds | milliseconds), ($ours.seconds | milliseconds),
   "\($better.seconds / $ours.seconds | text) (\([$better.each, $ours.each] | transpose | map(.[0] / .[1]) | "\(min | text)..\(max | text)"))",
   $ours.name]
| @tsv
