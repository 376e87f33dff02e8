// SPDX-License-Identifier: BSD-3-Clause
// quadrille draw: draws one schedule as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/file_format.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/error.hpp"
#include "quadrille/verify.hpp"
#include "reports/schedule_verdict.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

struct DrawArguments {
  std::string subject;  // a collective, or a file
  SubjectOptions about;
  std::optional<std::string> picture, round, limit, only_rank, output;
};

const std::vector<std::string> pictures{"space-time", "blocks", "links", "traffic"};

std::string drawn(const DrawArguments& options, const Schedule& schedule, const std::vector<Finding>& findings) {
  const std::string picture = options.picture.value_or(pictures.front());
  DrawOptions how{.findings = findings};
  if (options.about.problem.pattern) how.note = "pattern " + *options.about.problem.pattern;
  if (options.round) {
    how.each_round = *options.round == "each";
    if (!how.each_round) how.round = parse_whole(*options.round, "the round", 0);
  }
  if (options.limit) {
    if (!how.each_round) refuse("--limit goes with --round each: it is the number of rounds that have a panel");
    how.most_panels = parse_whole(*options.limit, "the limit", 0);
    if (how.most_panels == 0) how.most_panels = std::numeric_limits<Count>::max();
  }
  if (options.only_rank) {
    how.only_rank = parse_whole(*options.only_rank, "the rank", 0);
    if (picture != pictures.front()) refuse(fmt::format("--as {} shows all ranks; --only-rank goes with space-time", picture));
  }
  const auto topology = options.about.problem.network();
  if (topology && picture != "links") how.note += fmt::format("{}on {}", how.note.empty() ? "" : ", ", topology->name());
  if (picture == "links") {
    if (!topology) refuse("--as links needs a network; name one: --topology torus:4x8");
    return draw_links(schedule, *topology, how);
  }
  if (how.each_round) refuse("--round each goes with links; other pictures show one round or all in one panel");
  if (picture == "traffic") return draw_traffic(schedule, how);
  if (how.round) refuse(fmt::format("--as {} shows all rounds; --round goes with links and traffic", picture));
  return picture == "blocks" ? draw_blocks(schedule, how) : draw_space_time(schedule, how);
}

ShownSchedule drawn_schedule(const DrawArguments& options, ProgressLine& progress) {
  if (const auto collective = collective_named(options.subject)) {
    const std::vector<Case> cases = options.about.named_cases(*collective);
    if (cases.size() > 1)
      refuse(fmt::format("a picture shows one schedule, not {}; ask for one algorithm, number of ranks and size", cases.size()));
    return shown(cases.front(), progress);
  }
  options.about.check_file(options.subject);
  std::vector<Schedule> schedules = read_schedules(options.subject);
  if (schedules.size() != 1)
    refuse(fmt::format("a picture shows one schedule, and {} holds {}; write the one to draw to a file of its own",
                       label_of(options.subject), schedules.size()));
  return shown_of_file(std::move(schedules.front()), options.subject);
}

int run_draw(const DrawArguments& options) {
  if (options.subject.empty()) refuse("name a collective or a file: quadrille draw alltoall --algorithm bruck --ranks 5");
  if (options.picture && std::find(pictures.begin(), pictures.end(), *options.picture) == pictures.end())
    refuse_unknown("picture", *options.picture, pictures);
  Output output(options.output);
  ProgressLine progress;
  progress.show("draws " + options.subject);
  const auto [schedule, label, findings, is_of_file] = drawn_schedule(options, progress);
  std::string picture;
  try {
    picture = drawn(options, schedule, findings);
  } catch (const Error& error) {
    throw_with_finding(error, findings);
  }
  progress.clear();
  output.finish(picture_for(options.output, std::move(picture)));
  if (findings.empty()) return good;
  complain_of(schedule, label, "its picture shows", findings);
  return with_findings;
}

}  // namespace

Subcommand add_draw(CLI::App& command) {
  auto options = std::make_shared<DrawArguments>();
  OptionTable table(command, "draw", "draw a schedule as SVG, PNG or PDF");
  table.add(group::arguments,
            {{"subject", "COLLECTIVE|FILE", options->subject, "a collective, or a file with a schedule ('-' is stdin)"}});
  options->about.add_to(table, "such as bruck:radix=8,ports=2");
  table.add(
      group::output,
      {{"--as", "PICTURE", options->picture,
        "space-time: messages as arrows from rank to rank, round by round (the default); blocks: what the memory holds after "
        "each round; links: the load of the topology's links; traffic: who sends how much to whom"},
       {"--round", "N|each", options->round,
        "links and traffic: only the messages of this round, counted from 0 (default: of all rounds); each: a panel for each round "
        "(links only)"},
       {"--limit", "N", options->limit, "with --round each: panels for the first N rounds only (default 12; 0: for all)"},
       {"--only-rank", "RANK", options->only_rank,
        "space-time: only the messages that this rank sends or receives (default: all; where they are too many to follow, "
        "one rank's are strong and the others faint)"}});
  table.add_output(options->output);
  table.set_footer(
      "The schedule of a file or command is verified first. A wrong one is drawn with crosses at its findings and the texts of the "
      "first cause and the first finding below; blocks also marks bytes that are missing or wrong at the end. The exit code is "
      "then "
      "1.\n\n"
      "Examples:\n"
      "  quadrille draw alltoall --algorithm bruck --ranks 5 -o bruck.svg\n"
      "  quadrille draw alltoall --algorithm bruck --ranks 5 --as blocks -o blocks.svg\n"
      "  quadrille draw alltoall --algorithm shift --topology torus:4x4 --as links --round 5 -o links.svg\n"
      "  quadrille draw alltoallv --algorithm direct --ranks 32 --pattern power-law --as traffic -o traffic.svg");
  Subcommand subcommand{std::move(table), [options] { return run_draw(*options); }};
  subcommand.writes = [] { return FileFormat::svg; };
  return subcommand;
}

}  // namespace quadrille::command
