# From the JSON of launches of both MPIs with one distribution of ranks: a line for each size. Times are medians over the launches. The ratio is
# the better vendor's median to that of our best candidate under whichever launcher suits it; its range is that of single launches.
# Nobody can be faster than the busiest link: what leaves the host that sends most, at 100 Mbit/s, with 90 bytes of headers and gaps to each 1448.
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
