// SPDX-License-Identifier: BSD-3-Clause
#include "options/given_schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "foundation/text/printable.hpp"
#include "options/arguments.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/generator.hpp"
#include "quadrille/verify.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

// A family while its files are read.
struct Collected {
  std::string own_name, base;  // the algorithm that the schedules name; the first file's name without its folder
  std::vector<Schedule> schedules;
  std::vector<OwnFamily::Part> parts;

  bool takes(const Schedule& schedule, const std::string& its_name) const {
    return own_name == its_name && schedules.front().problem.collective == schedule.problem.collective &&
           std::none_of(schedules.begin(), schedules.end(),
                        [&](const Schedule& other) { return moves_the_same(other.problem, schedule.problem); });
  }
};

// Returns a name that no algorithm and none of `taken` has: "mine", "base/mine", "base#1/mine".
std::string unique_name(const std::string& own, const std::string& base, Collective collective,
                        const std::vector<OwnFamily>& taken) {
  const auto is_free = [&](const std::string& name) {
    return std::none_of(taken.begin(), taken.end(), [&](const OwnFamily& other) { return other.family.name() == name; });
  };
  const bool is_of_table = find_algorithm(collective, own.substr(0, own.find(':'))) != nullptr;
  if (!is_of_table && is_free(own)) return own;
  std::string name = fmt::format("{}/{}", base, own);
  for (int number = 1; !is_free(name); ++number) name = fmt::format("{}#{}/{}", base, number, own);
  return name;
}

[[noreturn]] void refuse_other_problem(const OwnFamily& own, const std::vector<Problem>& problems) {
  const auto& [problem, file] = own.parts.front();
  const std::string its = collective_text(problem), asked = collective_text(problems.front());
  const std::string more = problems.size() > 1 ? fmt::format(", nor for the {} others asked for", problems.size() - 1) : "";
  refuse(fmt::format("the schedule in {} is for {}, and not for {}{}{}", file, its, asked, its == asked ? " with these counts" : "",
                     more));
}

// Returns the file that holds the family's schedule for the problem; empty for a command.
std::string file_of(const OwnFamily& own, const Problem& problem) {
  const auto part = std::find_if(own.parts.begin(), own.parts.end(),
                                 [&](const OwnFamily::Part& each) { return moves_the_same(each.problem, problem); });
  return part == own.parts.end() ? "" : part->file;
}

void check_right(const Case& entry) {
  const Schedule schedule = entry.schedule();
  const auto findings = verify(schedule);
  if (findings.empty()) return;
  const FaultCauses causes = causes_of(schedule, findings);
  const bool has_cause = !causes.causes.empty() && causes.causes.front().operation;
  const std::string place = entry.file.empty()
                                ? fmt::format("that {} prints for {}", entry.specification(), collective_text(entry.problem))
                                : fmt::format("of {} in {}", entry.specification(), entry.file);
  refuse(fmt::format("the schedule {} is wrong; 'quadrille verify' finds: {}{}", place, printable(to_string(findings.front())),
                     has_cause ? printable("; probable cause: " + causes.causes.front().message) : ""));
}

}  // namespace

std::vector<OwnFamily> read_given(const std::vector<std::string>& files, const ReadText& read) {
  std::vector<Collected> all;
  for (const std::string& file : files) {
    const std::string base = file == "-" ? "stdin" : std::filesystem::path(file).filename().string();
    for (Schedule& schedule : read_schedules(file, read)) {
      if (schedule.algorithm.empty()) schedule.algorithm = base;
      const std::string own_name = printable(specification(schedule));
      auto family = std::find_if(all.begin(), all.end(), [&](const Collected& each) { return each.takes(schedule, own_name); });
      if (family == all.end()) family = all.insert(all.end(), Collected{own_name, base, {}, {}});
      family->parts.push_back({schedule.problem, label_of(file)});
      family->schedules.push_back(std::move(schedule));
    }
  }
  std::vector<OwnFamily> families;
  for (Collected& each : all) {
    std::string name = unique_name(each.own_name, each.base, each.parts.front().problem.collective, families);
    families.push_back({family_of_schedules(std::move(name), std::move(each.schedules)), std::move(each.parts)});
  }
  return families;
}

std::vector<OwnFamily> families_of_commands(const GeneratorOptions& options, Collective collective) {
  const GeneratorLimits limits = options.checked_limits();
  std::vector<OwnFamily> families;
  for (const std::string& command : options.commands) {
    const Family family = family_of_command(command, limits);
    Family named(
        unique_name(family.name(), "command", collective, families),
        [family](const Problem& problem) { return family.schedule(problem); }, family.made_by());
    families.push_back({std::move(named), {}});
  }
  return families;
}

std::vector<Problem> problems_of(const std::vector<OwnFamily>& families, const ProblemOptions& options) {
  std::vector<Problem> problems;
  for (const OwnFamily& own : families)
    for (const OwnFamily::Part& part : own.parts) {
      const Problem problem = options.with_network(part.problem);
      if (std::none_of(problems.begin(), problems.end(), [&](const Problem& other) { return moves_the_same(problem, other); }))
        problems.push_back(problem);
    }
  return problems;
}

std::vector<Case> cases_of(const std::vector<OwnFamily>& families, const std::vector<Problem>& problems,
                           std::vector<LeftOut>* left_out) {
  std::vector<Case> cases;
  for (const OwnFamily& own : families) {
    std::vector<LeftOut> without;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const std::string file = file_of(own, problems[i]);
      if (own.is_command() || !file.empty())
        cases.push_back({.index = i, .problem = problems[i], .candidate = own.family, .file = file});
      else
        without.push_back({i, own.family.name(), own.family.schedule(problems[i]).error()});
    }
    if (!without.empty() && without.size() == problems.size()) refuse_other_problem(own, problems);
    for (LeftOut& each : without) {
      if (!left_out) remark(fmt::format("left out: {}: {}", each.specification, each.reason));
      if (left_out) left_out->push_back(std::move(each));
    }
  }
  return cases;
}

void check_right(const std::vector<Case>& cases) {
  ProgressLine progress;
  for (const Case& entry : cases) {
    progress.show(fmt::format("verifies {}, {}", entry.specification(), problem_text(entry.problem)));
    check_right(entry);
  }
}

}  // namespace quadrille::command
