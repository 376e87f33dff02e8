# Reads the lines of hosts.jq. Prints them as a table for people.
include "medians";
def number: if . == "" then null else tonumber end;
def ms: number | if . == null then "–" elif . < 0.01 then . * 1e3 | fixed(2) else . * 1e3 | fixed(1) end;
def vendor: if .[0] == "" then "–" elif .[1] == "" then .[0] | ms else "\(.[0] | ms) (\(.[2]) \(.[1] | ms))" end;
def ratio: if .[0] == "" then "–" else {median: (.[0] | number), low: (.[1] | number), high: (.[2] | number)} | of_estimate end;
(["ranks of the hosts", "collective", "block", "links", "Open MPI/ms", "MPICH/ms", "ours/ms", "times faster", "than any forced", "of the links", "ours"]),
(split("\n")[] | select(. != "") | split("\t")
 | [.[0], .[1], .[2], (.[3] | ms), (.[4:7] | vendor), (.[7:10] | vendor), (.[11] | ms), (.[12:15] | ratio), (.[15:18] | ratio),
    (if .[3] == "" or (.[3] | number) == 0 or .[11] == "" then "–" else (.[11] | number) / (.[3] | number) | if . >= 100 then fixed(0) else fixed(2) end end), "\(.[10]): \(.[18])\(if .[19] == "" then "" else " *" end)"])
| @tsv
