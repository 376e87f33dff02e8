// SPDX-License-Identifier: BSD-3-Clause
#include "options/given_schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "foundation/text/printable.hpp"
#include "options/arguments.hpp"
#include "plan/same_problem.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/verify.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

// Returns true if both problems move the same data. It ignores how ranks are placed and how operands may be combined.
bool moves_the_same(const Problem& given, const Problem& asked) {
  Problem at_the_same_place = given;
  at_the_same_place.nodes = asked.nodes;
  at_the_same_place.grid = asked.grid;
  at_the_same_place.element_bytes = asked.element_bytes;
  at_the_same_place.commutative = asked.commutative;
  at_the_same_place.reproducible = asked.reproducible;
  if (!has_pair_counts(given.collective) || !has_pair_counts(asked.collective) || given.ranks != asked.ranks)
    return is_same(at_the_same_place, asked);
  const Traffic one(given), other(asked);  // handles dense and sparse counts alike
  for (Rank rank = 0; rank < given.ranks; ++rank)
    if (one.sent_by(rank) != other.sent_by(rank)) return false;
  return true;
}

std::string full_text(const Problem& problem) {
  return fmt::format("{} among {}", name(problem.collective), problem_text(problem));
}

[[noreturn]] void refuse_other_problem(const GivenSchedule& given, const std::vector<Problem>& problems) {
  const std::string own = full_text(given.schedule->problem), asked = full_text(problems.front());
  const std::string more = problems.size() > 1 ? fmt::format(", nor for the {} others asked for", problems.size() - 1) : "";
  refuse(fmt::format("the schedule in {} is for {}, and not for {}{}{}", given.file, own, asked,
                     own == asked ? " with these counts" : "", more));
}

void check_right(const Case& entry) {
  const Schedule& schedule = *entry.given;
  if (const auto findings = verify(schedule, {.most_findings = 1}); !findings.empty())
    refuse(fmt::format("the schedule of {} in {} is wrong; 'quadrille verify' finds: {}", specification(schedule), entry.file,
                       printable(to_string(findings.front()))));
}

// The names of the schedules that were read, each with the problem that it solves.
using TakenNames = std::vector<std::pair<std::string, Problem>>;

// Takes the schedule's name unless another schedule for the same problem has it.
bool take_name(const Schedule& schedule, TakenNames& taken) {
  const std::string name = specification(schedule);
  const bool is_free = std::none_of(taken.begin(), taken.end(), [&](const auto& other) {
    return other.first == name && is_same(other.second, schedule.problem);
  });
  if (is_free) taken.emplace_back(name, schedule.problem);
  return is_free;
}

// Gives the schedule a name that no algorithm has, and no other schedule for the same problem. (Schedules for several sizes may
// share a name: they are then one curve of a plot.)
void name_uniquely(Schedule& schedule, const std::string& file, TakenNames& taken) {
  const std::string base = file == "-" ? "stdin" : std::filesystem::path(file).filename().string();
  schedule.algorithm = printable(schedule.algorithm.empty() ? base : schedule.algorithm);
  const std::string own = schedule.algorithm;
  const bool is_of_table = find_algorithm(schedule.problem.collective, own) != nullptr;
  if (is_of_table) schedule.algorithm = fmt::format("{}/{}", base, own);
  for (int number = 1; !take_name(schedule, taken); ++number)
    schedule.algorithm = number == 1 && !is_of_table ? fmt::format("{}/{}", base, own) : fmt::format("{}#{}/{}", base, number, own);
}

}  // namespace

std::vector<GivenSchedule> read_given(const std::vector<std::string>& files, const ReadText& read) {
  std::vector<GivenSchedule> given;
  TakenNames taken;
  for (const std::string& file : files)
    for (Schedule& schedule : read_schedules(file, read)) {
      name_uniquely(schedule, file, taken);
      given.push_back({label_of(file), std::make_shared<const Schedule>(std::move(schedule))});
    }
  return given;
}

std::vector<Problem> problems_of(const std::vector<GivenSchedule>& given, const ProblemOptions& options) {
  std::vector<Problem> problems;
  for (const GivenSchedule& entry : given) {
    const Problem problem = options.with_network(entry.schedule->problem);
    if (std::none_of(problems.begin(), problems.end(), [&](const Problem& other) { return moves_the_same(problem, other); }))
      problems.push_back(problem);
  }
  return problems;
}

std::vector<Case> cases_of(const std::vector<GivenSchedule>& given, const std::vector<Problem>& problems) {
  std::vector<Case> cases;
  for (const GivenSchedule& entry : given) {
    const std::size_t before = cases.size();
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (!moves_the_same(entry.schedule->problem, problems[i])) continue;
      Schedule schedule = *entry.schedule;
      schedule.problem = problems[i];
      cases.push_back({i, problems[i], {}, std::make_shared<const Schedule>(std::move(schedule)), entry.file});
    }
    if (cases.size() == before) refuse_other_problem(entry, problems);
  }
  return cases;
}

void check_right(const std::vector<Case>& cases) {
  ProgressLine progress;
  for (const Case& entry : cases) {
    progress.show(fmt::format("verifies {}", specification(*entry.given)));
    check_right(entry);
  }
}

std::vector<Case> Subject::cases(const std::vector<std::string>& specifications, std::vector<LeftOut>* left_out) const {
  std::vector<Case> all = cases_of(given, problems);
  check_right(all);
  if (is_file && specifications.empty()) return all;
  std::vector<Case> own = make_cases(problems, specifications, left_out);
  std::move(own.begin(), own.end(), std::back_inserter(all));
  return all;
}

Subject subject_of(const std::string& text, const std::vector<std::string>& schedule_files, const ProblemOptions& options) {
  if (const auto collective = collective_named(text))
    return {.problems = options.problems(*collective), .given = read_given(schedule_files)};
  check_names_file(text, options.given());
  std::vector<std::string> files{text};
  files.insert(files.end(), schedule_files.begin(), schedule_files.end());
  Subject subject{.given = read_given(files), .is_file = true};
  subject.problems = problems_of(subject.given, options);
  return subject;
}

}  // namespace quadrille::command
