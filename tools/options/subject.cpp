// SPDX-License-Identifier: BSD-3-Clause
#include "options/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <utility>

#include "foundation/text/printable.hpp"
#include "options/arguments.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/flow.hpp"
#include "quadrille/generator.hpp"
#include "quadrille/verify.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

template <class Thing>
void append(std::vector<Thing>& list, std::vector<Thing> more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

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

bool names_flow(const std::string& specification) { return specification.substr(0, specification.find(':')) == "flow"; }

std::vector<std::string> without_flows(std::vector<std::string> specifications) {
  std::erase_if(specifications, names_flow);
  return specifications;
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

std::vector<OwnFamily> families_of_flows(const std::vector<std::string>& specifications, const ProblemOptions& options,
                                         Collective collective) {
  std::vector<OwnFamily> families;
  for (const std::string& specification : specifications) {
    if (!names_flow(specification)) continue;
    const std::optional<Topology> network = options.network();
    if (!network) refuse("flow needs the links of the network: --topology torus:8x8, or --topology edges:FILE");
    if (!has_flow(collective))
      refuse(fmt::format("flow is for alltoall, allgather, broadcast, scatter, gather and their forms with counts, not for {}",
                         quadrille::name(collective)));
    const auto line = std::make_shared<ProgressLine>();
    const auto tell = [line](const FlowSchedule& flow) {
      line->clear();
      if (flow.bound == 0) return remark("flow: nothing has to move");
      const auto times = [&](Bytes bytes) { return static_cast<double>(bytes) / static_cast<double>(flow.bound); };
      remark(fmt::format("flow: the busiest link carries {:.2f} times what some link must, and C2 shared is {:.2f} times as much{}",
                         times(flow.busiest_link), times(flow.c2_shared),
                         flow.was_stopped ? "; the search ended by its limit of time" : ""));
    };
    families.push_back({flow_family(
                            specification, *network, [line](const std::string& text) { line->show("flow " + text); }, tell),
                        {}});
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

void GeneratorOptions::add_to(OptionTable& table) {
  const GeneratorLimits standard;
  table.add(
      group::algorithm,
      {{"--generator", "COMMAND", commands,
        "a command that prints a schedule, run for each problem, such as 'python3 mine.py {ranks} {block}'; no shell reads it. "
        "Placeholders: {collective}, {ranks}, {block} and {element} in bytes, {root}, {counts}, {nodes}, {grid}, "
        "{commutative}, {reproducible}. Without --algorithm only such candidates are taken; repeatable"},
       {"--generator-limits", "SIZE,SECONDS", limits,
        fmt::format("end a command of --generator, and all that it has started, if it prints more or takes longer for one "
                    "problem (default {}MiB,{}s)",
                    standard.mebibytes, standard.seconds)}});
}

GeneratorLimits GeneratorOptions::checked_limits() const {
  GeneratorLimits checked{.raised_by = "--generator-limits"};
  if (!limits) return checked;
  if (commands.empty()) refuse("--generator-limits is for commands of --generator; leave it out");
  const std::vector<std::string_view> both = split(*limits, ',');
  if (both.size() != 2) refuse(fmt::format("--generator-limits is a size and a time, such as 1GiB,600s, not '{}'", *limits));
  checked.mebibytes = static_cast<std::size_t>(ceil_divide(parse_size(both[0]), Bytes{1} << 20));
  checked.seconds = parse_seconds(both[1], "the time of --generator-limits");
  return checked;
}

void SubjectOptions::add_to(OptionTable& table, std::string algorithm_help, bool takes_schedules) {
  table.add(group::algorithm, {{"--algorithm", "SPEC", algorithms, std::move(algorithm_help)}});
  if (takes_schedules)
    table.add(group::algorithm,
              {{"--schedule", "FILE", schedules,
                "also take the schedules in this file, JSON or text ('-' is stdin); those of one algorithm for several sizes or "
                "numbers of ranks are one candidate; repeatable"}});
  generators.add_to(table);
  problem.add_to(table);
}

std::vector<Case> SubjectOptions::cases(Collective collective, bool tells_of_all) const {
  const std::vector<Problem> problems = problem.problems(collective);
  std::vector<OwnFamily> families = families_of_commands(generators, collective);
  append(families, families_of_flows(algorithms, problem, collective));
  std::vector<Case> cases = cases_of(families, problems);
  const std::vector<std::string> of_table = without_flows(algorithms);
  if (families.empty() || !of_table.empty()) append(cases, make_cases(problems, of_table, nullptr, tells_of_all));
  return cases;
}

std::vector<Case> SubjectOptions::named_cases(Collective collective) const {
  if (generators.commands.empty() && algorithms.empty())
    return make_named_cases(collective, problem.problems(collective), algorithms);
  return cases(collective);
}

void refuse_generators_of_file(const GeneratorOptions& generators) {
  if (!generators.commands.empty()) refuse("a file holds its schedules itself; name a collective with --generator");
}

void SubjectOptions::check_file(const std::string& file) const {
  check_names_file(file, problem.given(), !algorithms.empty());
  refuse_generators_of_file(generators);
}

ShownSchedule shown(const Case& entry, ProgressLine& progress) {
  ShownSchedule shown{.schedule = progress.followed(entry.schedule()), .label = entry.short_name()};
  if (entry.is_own()) shown.findings = verify(shown.schedule, {.most_findings = most_counted_findings});
  return shown;
}

ShownSchedule shown_of_file(Schedule schedule, const std::string& file) {
  ShownSchedule shown{.schedule = std::move(schedule), .label = label_of(file), .is_of_file = true};
  shown.findings = verify(shown.schedule, {.most_findings = most_counted_findings});
  return shown;
}

std::vector<Case> Subject::cases(const std::vector<std::string>& specifications, std::vector<LeftOut>* left_out) const {
  std::vector<Case> all = cases_of(families, problems, left_out);
  check_right(all);
  const bool has_commands = std::any_of(families.begin(), families.end(), [](const OwnFamily& own) { return own.is_command(); });
  const std::vector<std::string> of_table = without_flows(specifications);
  if ((is_file || has_commands) && of_table.empty()) return all;
  append(all, make_cases(problems, of_table, left_out));
  return all;
}

Subject subject_of(const std::string& text, const SubjectOptions& options) {
  if (const auto collective = collective_named(text)) {
    Subject subject{.problems = options.problem.problems(*collective), .families = read_given(options.schedules)};
    append(subject.families, families_of_commands(options.generators, *collective));
    append(subject.families, families_of_flows(options.algorithms, options.problem, *collective));
    return subject;
  }
  check_names_file(text, options.problem.given());
  refuse_generators_of_file(options.generators);
  std::vector<std::string> files{text};
  append(files, options.schedules);
  Subject subject{.families = read_given(files), .is_file = true};
  subject.problems = problems_of(subject.families, options.problem);
  return subject;
}

}  // namespace quadrille::command
