// SPDX-License-Identifier: BSD-3-Clause
// quadrille schedule: prints what every rank does, converts schedules between text and JSON, and writes GOAL for other simulators.
#include <fmt/format.h>

#include <memory>

#include "foundation/text/printable.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "quadrille/document.hpp"
#include "quadrille/error.hpp"
#include "quadrille/verify.hpp"
#include "reports/schedule_verdict.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

// Limits of a document, which lists every region of every rank (in JSON: every contiguous piece). A longer document would not fit
// in memory, and nobody could read it.
constexpr Count most_regions = Count{1} << 23;
constexpr Count most_ranks = Count{1} << 20;

struct ScheduleArguments {
  std::string subject;  // a collective or a file
  SubjectOptions about;
  std::optional<std::string> format, policy, output;
  bool json = false;
};

// Counts the regions of a list. Throws Error{too_large} for a region that cannot be flattened.
Count count_regions(const Regions& regions, bool flattened) {
  Count total = 0;
  for (const Region& region : regions) {
    if (flattened && bytes(region) > 0) hull(region);  // throws if the region reaches beyond 2^63
    Count pieces = 1;
    if (flattened)
      for (const Level& level : region.levels) pieces = times_at_most(pieces, level.count, most_regions + 1);
    total += pieces;
  }
  return total;
}

Count count_regions(const Program& program, bool flattened) {
  Count total = 0;
  for (const Round& round : program.rounds) {
    for (const Local& local : round.locals)
      total += count_regions(local.source, flattened) + count_regions(local.target, flattened);
    for (const Message& message : round.sends) total += count_regions(message.regions, flattened);
    for (const Message& message : round.receives) total += count_regions(message.regions, flattened);
  }
  return total;
}

// Generates every program once before anything is written, so that no error can occur in the middle of the output.
void check_length(const std::vector<Schedule>& schedules, bool flattened, ProgressLine& progress) {
  Count total = 0;
  std::size_t number = 0;
  for (const Schedule& schedule : schedules) {
    const Count p = schedule.problem.ranks;
    progress.show(fmt::format("looks at {}, schedule {} of {}", printable(schedule.algorithm), ++number, schedules.size()));
    for (Rank rank = 0; rank < p; ++rank) {
      const Program program = schedule.program(rank);
      try {
        total += count_regions(program, flattened);
      } catch (const Error& error) {
        throw_with_finding(error, verify(schedule));
      }
      if (total > most_regions)
        refuse(
            fmt::format("the schedule of {} among {} ranks has more than {} regions, too long for a document; ask for fewer ranks",
                        printable(schedule.algorithm), p, most_regions));
    }
  }
}

std::vector<Schedule> generated(const ScheduleArguments& options, Collective collective, ProgressLine& progress) {
  std::vector<Schedule> schedules;
  for (const Case& entry : options.about.named_cases(collective)) {
    const Count p = entry.problem.ranks;
    if (p > most_ranks) refuse(fmt::format("a document of {} ranks is too long; the limit is {}", p, most_ranks));
    schedules.push_back(progress.followed(entry.schedule()));
  }
  return schedules;
}

// Reads schedules without verifying them.
std::vector<Schedule> read(const ScheduleArguments& options) {
  options.about.check_file(options.subject);
  return read_schedules(options.subject);
}

Policy one_policy(const std::string& text) {
  const std::vector<Policy> policies = parse_policies({text});
  if (policies.size() != 1) refuse(fmt::format("GOAL holds one policy, not {}", policies.size()));
  return policies.front();
}

bool is_json(const ScheduleArguments& options) { return options.json || options.format == "json"; }

int run_schedule(const ScheduleArguments& options) {
  if (options.subject.empty()) refuse("name a collective or a file: quadrille schedule alltoall --algorithm bruck --ranks 8");
  if (options.format && *options.format != "text" && *options.format != "json" && *options.format != "goal")
    refuse_unknown("format", *options.format, {"text", "json", "goal"});
  if (options.json && options.format && *options.format != "json")
    refuse(fmt::format("--json and --format {} exclude each other", *options.format));
  const bool json = is_json(options), goal = options.format == "goal";
  if (options.policy && !goal) refuse("--policy needs --format goal: the other forms hold for every policy");
  const Policy policy = options.policy ? one_policy(*options.policy) : Policy::blocking;
  ProgressLine progress;
  const auto collective = collective_named(options.subject);
  const std::vector<Schedule> schedules = collective ? generated(options, *collective, progress) : read(options);
  if (schedules.size() > 1 && !json)
    refuse(fmt::format("{} holds one schedule, not {}; ask for --format json", goal ? "GOAL" : "the text form", schedules.size()));
  check_length(schedules, json, progress);
  progress.clear();

  Output output(options.output);
  std::ostream& out = output.stream();
  if (goal) {
    write_goal(out, schedules.front(), policy);
  } else if (!json) {
    write_text(out, schedules.front());
  } else if (schedules.size() == 1) {
    write_json(out, schedules.front());
    out << '\n';
  } else {
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      out << (i == 0 ? "[\n" : ",\n");
      write_json(out, schedules[i]);
    }
    out << "\n]\n";
  }
  output.finish();
  return good;
}

}  // namespace

Subcommand add_schedule(CLI::App& command) {
  auto options = std::make_shared<ScheduleArguments>();
  OptionTable table(command, "schedule", "print what every rank does, as text or as JSON");
  table.add(group::arguments, {{"subject", "COLLECTIVE|FILE", options->subject,
                                "a collective (see 'quadrille list'), or a file to convert ('-' is stdin)"}});
  options->about.add_to(table, "such as bruck:radix=8,ports=2");
  table.add(group::output, {{"--format", "FORMAT", options->format,
                             "text (the default), json, the exchange format, or goal, for LogGOPSim and ATLAHS"}});
  table.add_json(options->json, "the same as --format json");
  table.add(group::output, {{"--policy", "POLICY", options->policy,
                             "what messages wait for in --format goal: blocking (the default), nonblocking or dataflow"}});
  table.add_output(options->output);
  table.set_footer(
      "Several schedules need --json and are printed as an array. A document, of a file or a command, is converted without "
      "being verified; 'quadrille "
      "verify' does that.\n\n"
      "Examples:\n  quadrille schedule alltoall --algorithm bruck --ranks 5\n"
      "  quadrille schedule alltoall --algorithm 'bruck:radix=8,ports=2' --ranks 64 --block 8B --json --output bruck.json\n"
      "  quadrille schedule bruck.json\n  quadrille schedule mine.sched --json\n"
      "  quadrille schedule allreduce --algorithm ring --ranks 16 --block 1MiB --format goal --output ring.goal");
  Subcommand subcommand{std::move(table), [options] { return run_schedule(*options); }};
  subcommand.writes = [options] { return is_json(*options) ? FileFormat::json : FileFormat::text; };
  return subcommand;
}

}  // namespace quadrille::command
