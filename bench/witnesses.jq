# Reads the figures of witnesses.sh, an object for each program and MPI. Prints them as a table in Markdown.
include "medians";
def in_words: if . == "same" or . == "to 0e+00" then "same" elif startswith("to ") then "same \(.)" else "**\(.)**" end;
# How the results of runs differ from the first run without the drop-in; the largest difference.
def differences: map(select(. != "same")) | if . == [] then "same" else (map(select(startswith("differ"))) + . | .[0]) end | in_words;
def much: tostring | if length > 3 then .[:-3] + "," + .[-3:] else . end;
"| program | package | MPI | what it calls: calls (by ours) | compared | own runs | with the drop-in | without / s | without / with |",
"| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
(.[] | . as $program
 | [.runs[] | select(.name == $program.name and .way == "without").s] as $without
 | [.runs[] | select(.name == $program.name and .way == "with").s] as $with
 | "| \(.says) | \(.package) \(.version) | \({openmpi: "Open MPI", mpich: "MPICH"}[.mpi]) | "
   + (if .calls == [] then "no collective" else (.calls | sort_by(-.calls) | map("\(.collective) \(.calls | much)" + (if .ours > 0 then " (\(.ours | much))" else "" end)) | join(", ")) end)
   + " | \(.compared) | \([.compared_runs[] | select(.way == "without").same] | differences)"
   + " | \([.compared_runs[] | select(.way == "with").same] + [.same] | differences) | "
   + (if ($without | length) < 3 then "not timed | – |" else "\($without | median | fixed(2)) | \(ratio($without; $with) | of_estimate) |" end))
