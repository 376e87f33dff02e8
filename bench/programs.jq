# Reads the JSON lines of programs.sh. Prints a line for each program. programs.sh has compared the results of each run with those
# of the first run without the drop-in.
include "medians";
def differences($way): map(select(.same and .way == $way).same) | unique | if . == ["same"] then "same" else (. - ["same"] | last // "same") end;
["program", "ranks", "repetitions", "without / s", "with / s", "without / with", "own runs", "with the drop-in"],
(group_by([.name, .ranks])[] | map(select(.s)) as $runs
 | [$runs[] | select(.way == "without").s] as $without | [$runs[] | select(.way == "with").s] as $with
 | [.[0].name, "\(.[0].ranks)", "\($without | length)", ($without | median | fixed(2)), ($with | median | fixed(2)), (ratio($without; $with) | of_estimate),
    (if any(.same) then differences("without"), differences("with") else "", "" end)])
| @tsv
