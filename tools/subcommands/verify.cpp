// SPDX-License-Identifier: BSD-3-Clause
// quadrille verify: prints findings and figures of schedules, generated or read from files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "collectives/table.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/printable.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "reports/schedule_verdict.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

constexpr std::array<const char*, 6> step_names{"start", "nothing", "moved", "lost", "left", "end"};
constexpr std::array<const char*, 3> operation_names{"copy", "reduce", "message"};

std::string step_lines(const std::vector<WayStep>& steps) {
  std::string text;
  for (const WayStep& step : steps) text += "  " + to_string(step) + '\n';
  return text;
}

Json steps_json(const std::vector<WayStep>& steps) {
  Json array = Json::array();
  for (const WayStep& step : steps) {
    array.push_back({{"step", step_names.at(static_cast<std::size_t>(step.kind))},
                     {"rank", step.place.rank},
                     {"buffer", name(step.place.buffer)},
                     {"offset", step.place.offset}});
    if (!step.operation) continue;
    array.back().update({{"round", step.operation->round},
                         {"operation", operation_names.at(static_cast<std::size_t>(step.operation->kind))},
                         {"from", step.operation->from},
                         {"to", step.operation->to}});
  }
  return array;
}

// Returns the way of one block through a schedule, one step per line.
std::string block_way_text(const BlockWay& way, const std::string& heading) {
  std::string text = fmt::format("{}: byte {} of block {} to {}{}\n{}", heading, way.byte, way.from, way.to,
                                 way.arrives ? "" : " does not arrive", step_lines(way.steps));
  if (!way.arrives) text += fmt::format("instead, at {}:\n{}", to_string(way.required), step_lines(way.instead));
  if (way.cut) text += fmt::format("only {} steps are shown\n", most_way_steps);
  return text;
}

Json block_way_json(const BlockWay& way) {
  return joined(MEMBERS_OF(way, from, to, byte), {{"required", MEMBERS_OF(way.required, rank, offset)},
                                                  {"arrives", way.arrives},
                                                  {"steps", steps_json(way.steps)},
                                                  {"instead", steps_json(way.instead)},
                                                  {"cut", way.cut}});
}

struct VerifyArguments {
  std::vector<std::string> subjects;  // a collective, or files
  SubjectOptions about;
  VerifyOptions rules;
  Count limit = static_cast<Count>(most_listed_findings);
  std::optional<std::string> trace, output;
  bool json = false, all = false;
};

VerifyOptions verify_options(const VerifyArguments& options) {
  VerifyOptions rules = options.rules;
  rules.most_findings = most_counted_findings;
  rules.topology = options.about.problem.network();
  if (rules.strict_links && !rules.topology)
    refuse("--strict checks links; say which network they belong to: --topology torus:4x8");
  return rules;
}

void check_one_collective(const VerifyArguments& options) {
  if (options.subjects.size() > 1)
    refuse(fmt::format("'{}' is one argument too many: {} is a collective, and only files may be several", options.subjects[1],
                       options.subjects[0]));
}

std::vector<Schedule> read_all(const VerifyArguments& options) {
  options.about.check_file(options.subjects[0]);
  std::vector<Schedule> schedules;
  for (const std::string& file : options.subjects)
    for (Schedule& schedule : read_schedules(file)) schedules.push_back(std::move(schedule));
  return schedules;
}

std::string label_of_file(const Schedule& schedule) {
  return printable(fmt::format("{}/{}", name(schedule.problem.collective), short_specification(schedule)));
}

// The two ranks, and perhaps a byte of the block.
std::vector<Count> numbers_of_trace(const std::string& text) {
  std::vector<Count> numbers;
  for (const std::string_view part : split(text, ',')) numbers.push_back(number_in<Count>(part).value_or(-1));
  const bool are_numbers = std::all_of(numbers.begin(), numbers.end(), [](Count number) { return number >= 0; });
  if (!are_numbers || (numbers.size() != 2 && numbers.size() != 3))
    refuse(fmt::format("--trace takes two ranks, and perhaps a byte of the block, such as --trace 0,3 or --trace 0,3,512, not '{}'",
                       text));
  return numbers;
}

std::string label_of_case(const Case& entry) { return fmt::format("{}/{}", name(entry.problem.collective), entry.short_name()); }

// Prints the way of one block. If the block does not arrive, the exit code is the one for findings.
int trace(const VerifyArguments& options, Output& output) {
  const std::vector<Count> numbers = numbers_of_trace(*options.trace);
  std::vector<Schedule> schedules;
  std::vector<std::string> labels;
  if (const auto collective = collective_named(options.subjects[0])) {
    check_one_collective(options);
    for (const Case& entry : options.about.cases(*collective, options.all)) {
      schedules.push_back(entry.schedule());
      labels.push_back(label_of_case(entry));
    }
  } else {
    schedules = read_all(options);
    for (const Schedule& schedule : schedules) labels.push_back(label_of_file(schedule));
  }
  if (schedules.size() != 1)
    refuse(fmt::format("--trace follows a block of one schedule, not of {}; ask for one algorithm, number of ranks and size",
                       schedules.size()));
  const BlockWay way = way_of_block(schedules[0], numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0);
  output.finish(options.json ? document_text("verify", block_way_json(way))
                             : block_way_text(way, fmt::format("{}, {}", labels[0], problem_text(schedules[0].problem))));
  return way.arrives ? good : with_findings;
}

std::vector<ScheduleVerdict> judge_generated(const VerifyArguments& options, Collective collective) {
  check_one_collective(options);
  const VerifyOptions rules = verify_options(options);
  const auto cases = options.about.cases(collective, options.all);
  std::vector<ScheduleVerdict> verdicts;
  ProgressLine progress;
  for (const Case& entry : cases) {
    const std::string label = label_of_case(entry);
    progress.show(fmt::format("verified {} of {}: now {}, {}", verdicts.size(), cases.size(), label, problem_text(entry.problem)));
    verdicts.push_back(judge(progress.followed(entry.schedule()), label, rules));
  }
  return verdicts;
}

std::vector<ScheduleVerdict> judge_files(const VerifyArguments& options) {
  const std::vector<Schedule> schedules = read_all(options);
  const VerifyOptions rules = verify_options(options);
  std::vector<ScheduleVerdict> verdicts;
  ProgressLine progress;
  for (const Schedule& schedule : schedules) {
    const std::string label = label_of_file(schedule);
    progress.show(fmt::format("verified {} of {}: now {}", verdicts.size(), schedules.size(), label));
    verdicts.push_back(judge(schedule, label, rules));
  }
  return verdicts;
}

int run_verify(const VerifyArguments& options) {
  if (options.subjects.empty()) refuse("name a collective or files: quadrille verify alltoall --ranks 5, or quadrille verify FILE");
  Output output(options.output);
  if (options.trace) return trace(options, output);
  const std::size_t limit = options.limit == 0 ? most_counted_findings : static_cast<std::size_t>(options.limit);
  const auto collective = collective_named(options.subjects[0]);
  const std::vector<ScheduleVerdict> verdicts = collective ? judge_generated(options, *collective) : judge_files(options);
  if (verdicts.empty()) refuse("there is nothing to verify: the document holds no schedule");

  const bool one = verdicts.size() == 1;
  if (one && !verdicts[0].refusal.empty() && !verdicts[0].figures) throw Error(ErrorCode::too_large, verdicts[0].refusal);
  if (options.json)
    output.finish(
        document_text("verify", one_or_all(array_of(verdicts, [&](const ScheduleVerdict& each) { return json_of(each, limit); }))));
  else
    output.finish(one ? text_of(verdicts[0], limit) : text_of(verdicts, limit, options.all));
  const auto any = [&](auto&& is) { return std::any_of(verdicts.begin(), verdicts.end(), is); };
  if (any([](const ScheduleVerdict& verdict) { return !verdict.findings.empty(); })) return with_findings;
  return any([](const ScheduleVerdict& verdict) { return !verdict.refusal.empty(); }) ? misused : good;
}

}  // namespace

Subcommand add_verify(CLI::App& command) {
  auto options = std::make_shared<VerifyArguments>();
  OptionTable table(command, "verify", "replay schedules and list everything that is wrong with them, beside their figures");
  table.add(group::arguments,
            {{"subject", "COLLECTIVE|FILE...", options->subjects, "a collective, or files of schedules ('-' is stdin)"}});
  options->about.add_to(table, "such as bruck:radix=2..8, or all (the default); repeatable");
  table.add(
      group::rules,
      {{"--ports",
        "K",
        {options->rules.port_limit, whole("the number of ports", 1)},
        "messages that a rank may send, and receive, in a round (default: as the algorithm states)"},
       {"--node-ports",
        "K",
        {options->rules.node_port_limit, whole("the number of a node's ports", 1)},
        "exchanges that a node's ranks may have with other nodes in a round: 1 for single-ported nodes (default: as the "
        "algorithm states)"},
       {"--policy",
        "LIST",
        {options->rules.policies, parse_policies},
        "policies that are checked for deadlock: blocking, nonblocking, dataflow (default all)"},
       {"--strict", "", options->rules.strict_links,
        "also report two messages of one round on the same directed link, and messages that do not run straight from their port "
        "to their receiver (needs --topology)"},
       {"--seed",
        "N",
        {options->rules.seed, whole("the seed", 0)},
        "seed of the sample of ranks, if not all are compared (default: another sample in each run)"},
       {"--limit",
        "N",
        {options->limit, whole("the limit", 0)},
        "findings, and causes, to list for each schedule (default {default}; 0: all, but at most 10000)"},
       {"--all", "", options->all,
        "all columns of the table (also memory and bytes of control messages), and what does not apply of all algorithms"},
       {"--trace", "FROM,TO[,BYTE]", options->trace,
        "print the way of one block instead: from rank FROM to rank TO, by its first byte or by byte BYTE"}});
  table.add_json(options->json, "print JSON: an object for one schedule, an array for several");
  table.add_output(options->output);
  table.set_footer(
      "If a schedule states a symmetry, one rank of each class is replayed, and the programs of other ranks are compared with its "
      "images: those of all ranks up to 4096 ranks, and above that as many as about ten seconds allow, but at least 64. If these "
      "are "
      "not all, the verdict is 'sampled' ('verdict' in JSON), and --seed repeats the sample.\n\n"
      "Findings are grouped by their probable cause, the operation that explains most of them, or several that are wrong in the "
      "same way.\n\n"
      "Exit code 1 if there are findings, 2 if a schedule was too large to be replayed, otherwise 0, also if a verdict is "
      "'sampled'. Bounds beside the figures hold for any "
      "schedule with as many ports (and, for C2, rounds). If nodes are named, verify also counts what goes between them.\n\n"
      "Examples:\n"
      "  quadrille verify alltoall --ranks 2..16\n"
      "  quadrille verify alltoall --algorithm bruck:radix=2..64 --ranks 64\n"
      "  quadrille schedule alltoall --algorithm ring --ranks 5 --json | quadrille verify -\n"
      "  quadrille verify alltoall --generator 'python3 mine.py {ranks} {block}' --ranks 2..16 --block 8B,1KiB\n"
      "  quadrille verify alltoall --algorithm torus --topology torus:4x8 --strict\n"
      "  quadrille verify alltoall --algorithm bruck --ranks 8 --trace 0,5\n"
      "  quadrille verify allgather --node-sizes 6x4 --block 1KiB");
  return {std::move(table), [options] { return run_verify(*options); }};
}

}  // namespace quadrille::command
