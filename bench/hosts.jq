# Reads the JSON of races of one collective with one distribution of ranks on hosts, of all launches of all MPIs. Prints a line for
# each size and kind of ours, separated by tabs, with times in seconds: slots, collective, size, what the links need, the default of
# Open MPI, its best forced algorithm and that one's name, the same of MPICH, kind (chosen; best, if further candidates of ours
# raced), our time, ratio to the better default and its interval, ratio to the best of the vendors' candidates and its interval,
# what ours is, and "disturbed" if other programs took cores from the ranks in one of the races.
# A time is the median over all repetitions of all launches, ours under the MPI that suits it better. The k-th repetitions are
# compared, so ratios of times of the same race are compared as they were measured.
include "medians";
# The time that the busiest link needs, at 100 Mbit/s, with 66 bytes of headers for each 1,448.
def links: [.node_traffic_out, .node_traffic_in] | max | if . == null then null else . * (1514 / 1448) / 12.5e6 end;
def best: if length == 0 then null else min_by(.seconds) end;
def pair($above; $below): [$above.times, $below.times] | (map(length) | min) as $n | ratio(.[0][:$n]; .[1][:$n]);
def ratio_words($above; $below):
  if $above == null or $below == null then ["", "", ""] else pair($above; $below) | [.median, .low, .high] end;
($labels | split(" ")) as $names
| ($bounds | flatten | map(.lower_bounds | links)) as $links
| .[0].collective as $collective
| [.[] | .transport as $mpi | .seed as $launch | .sizes | to_entries[] | .key as $place
   | .value.load.disturbs as $disturbed | .value.entries[] | select(.checked)
   | {$mpi, $launch, $place, $disturbed, algorithm, short_name, executor, policy, is_auto, times: (.samples_s | map(median))}]
| group_by(.place)[]
| .[0].place as $place
| (if any(.disturbed) then "disturbed" else "" end) as $disturbed
| (group_by([.mpi, .algorithm, .executor, .policy])
   | map(sort_by(.launch) | .[0] + {times: map(.times) | add} | . + {seconds: (.times | median)})) as $candidates
| ($candidates | map(select(.algorithm | startswith("vendor")))) as $vendors
| ($vendors | map(select(.algorithm == "vendor")) | best) as $default
| ($candidates - $vendors) as $ours
| [["openmpi", "mpich"][] as $mpi | ($vendors | map(select(.mpi == $mpi)))
   | (map(select(.algorithm == "vendor")) | best | .seconds), (map(select(.algorithm != "vendor")) | best | .seconds, (.algorithm // "" | sub("^vendor:"; "")))
  ] as $theirs
| (["chosen", ($candidates | map(select(.is_auto)) | best)], (if ($ours | all(.is_auto)) then empty else ["best", ($ours | best)] end))
| .[0] as $kind | .[1] as $mine
| [$slots, $collective, $names[$place], $links[$place]] + $theirs + [$kind, $mine.seconds] + ratio_words($default; $mine)
  + ratio_words($vendors | best; $mine) + [if $mine then "\($mine.short_name) \($mine.executor) \($mine.mpi)" else "" end, $disturbed]
| map(. // "") | @tsv
