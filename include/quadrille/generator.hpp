// SPDX-License-Identifier: BSD-3-Clause
// A family of schedules (candidate.hpp) that a command prints: any program, in any language, that prints a schedule as a document
// (docs/schedule-format.md).
//
//   const Family mine = family_of_command("python3 mine.py {ranks} {block}");
//   const Schedule schedule = make_schedule(Problem::alltoall(8, 1024), mine);  // runs: python3 mine.py 8 1024
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/candidate.hpp"

namespace quadrille {

// The words of a command for one problem. `command` is cut at blanks; quotes and \ keep blanks and other signs in a word, as in a
// shell, but no shell runs it: there are no variables, pipes or patterns. Then placeholders are replaced by values of the problem:
// {collective}, {ranks}, {block} (bytes), {root}, {element} (bytes), {commutative}, {reproducible} (true or false), {counts},
// {nodes} (numbers with commas between) and {grid} (4x8). So a value never becomes several words. Braces that do not enclose a
// word of small letters stay as they are. Throws Error{misuse} for an unknown placeholder, for a placeholder for which the
// problem has no value, and for a quote that is not closed.
std::vector<std::string> words_for(std::string_view command, const Problem& problem);

// Limits of a command for one problem. A command that exceeds a limit is killed, with all processes that it has started.
struct GeneratorLimits {
  std::size_t mebibytes = 256;  // size of its output, in MiB
  double seconds = 60;
  std::string raised_by = "GeneratorLimits";  // the option that raises the limits, as errors name it
};

// Returns the family of the schedules that a command prints, made by rank 0. Its name is the command without the words that have
// placeholders, and without the folders of files: "python3 mine.py". The command runs once for each list of words, in this
// process's folder, with an empty stdin; later calls with these words return the same schedule, or throw the same error, without
// running the command. Its stderr is this process's stderr. The command runs in its own process group. The group is killed when
// the command has ended, and when SIGINT, SIGTERM or SIGHUP ends this process. Throws Error{misuse} if `command` has no word, an
// unknown placeholder or a quote that is not closed.
//
// The family's `schedule` throws Error, with a sentence that begins with the command, if the command cannot be started, exceeds a
// limit, ends with an exit code other than 0, does not print exactly one schedule, or prints a schedule of another problem. It
// throws Error{too_large} for more than most_ranks_of_first ranks. The schedule is not verified.
Family family_of_command(const std::string& command, const GeneratorLimits& limits = {});

}  // namespace quadrille
