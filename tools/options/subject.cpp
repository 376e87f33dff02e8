// SPDX-License-Identifier: BSD-3-Clause
#include "options/subject.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "options/arguments.hpp"

namespace quadrille::command {
namespace {

std::vector<Case> with_generators(const std::vector<Problem>& problems, const GeneratorOptions& generators, bool has_algorithms,
                                  const std::function<std::vector<Case>()>& of_table) {
  if (generators.commands.empty()) return of_table();
  std::vector<Case> cases = cases_of(families_of_commands(generators, problems.front().collective), problems);
  if (!has_algorithms) return cases;
  std::vector<Case> others = of_table();
  std::move(others.begin(), others.end(), std::back_inserter(cases));
  return cases;
}

}  // namespace

std::vector<Case> cases_with_generators(const std::vector<Problem>& problems, const std::vector<std::string>& algorithms,
                                        const GeneratorOptions& generators) {
  return with_generators(problems, generators, !algorithms.empty(), [&] { return make_cases(problems, algorithms); });
}

std::vector<Case> named_cases_with_generators(const std::vector<Problem>& problems, const std::vector<std::string>& algorithms,
                                              const GeneratorOptions& generators) {
  return with_generators(problems, generators, !algorithms.empty(),
                         [&] { return make_named_cases(problems.front().collective, problems, algorithms); });
}

void refuse_generators_of_file(const GeneratorOptions& generators) {
  if (!generators.commands.empty()) refuse("a file holds its schedules itself; name a collective with --generator");
}

std::vector<Case> Subject::cases(const std::vector<std::string>& specifications, std::vector<LeftOut>* left_out) const {
  std::vector<Case> all = cases_of(families, problems, left_out);
  check_right(all);
  const bool has_commands = std::any_of(families.begin(), families.end(), [](const OwnFamily& own) { return own.is_command(); });
  if ((is_file || has_commands) && specifications.empty()) return all;
  std::vector<Case> others = make_cases(problems, specifications, left_out);
  std::move(others.begin(), others.end(), std::back_inserter(all));
  return all;
}

Subject subject_of(const std::string& text, const std::vector<std::string>& schedule_files, const GeneratorOptions& generators,
                   const ProblemOptions& options) {
  if (const auto collective = collective_named(text)) {
    Subject subject{.problems = options.problems(*collective), .families = read_given(schedule_files)};
    std::vector<OwnFamily> commands = families_of_commands(generators, *collective);
    std::move(commands.begin(), commands.end(), std::back_inserter(subject.families));
    return subject;
  }
  check_names_file(text, options.given());
  refuse_generators_of_file(generators);
  std::vector<std::string> files{text};
  files.insert(files.end(), schedule_files.begin(), schedule_files.end());
  Subject subject{.families = read_given(files), .is_file = true};
  subject.problems = problems_of(subject.families, options);
  return subject;
}

}  // namespace quadrille::command
