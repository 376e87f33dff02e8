// SPDX-License-Identifier: BSD-3-Clause
// quadrille simulate: runs schedules in simulated time, by rounds or by events.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/common_options.hpp"
#include "options/given_schedules.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "reports/simulation_report.hpp"
#include "schedule/policy_name.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

struct Options {
  std::string subject, by = "rounds";  // subject: a collective or a file
  std::vector<std::string> algorithms, schedules, policies;
  ProblemOptions problem;
  ModelOptions model;
  std::optional<std::string> seed, late, slow_links, jitter, switching, output;
  bool barriers = false, json = false;
};

// Takes a number of at least `least` from the beginning of `text`, and leaves the remaining text there.
std::optional<double> take_number(std::string_view& text, double least) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || !std::isfinite(number) || number < least) return std::nullopt;
  text.remove_prefix(index(end - text.data()));
  return number;
}

// Splits "3:50us" into the count and the text after the colon.
std::pair<Count, std::string_view> parse_some(std::string_view text, std::string_view option, std::string_view example) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) refuse(fmt::format("{} '{}' does not say how much, such as {}", option, text, example));
  return {parse_whole(text.substr(0, colon), fmt::format("the number of {}", option), 0), text.substr(colon + 1)};
}

Picoseconds parse_time(std::string_view text) {
  static constexpr std::pair<std::string_view, double> units[] = {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6},
                                                                  {"µs", 1e6}, {"ns", 1e3}, {"ps", 1}};
  std::string_view unit = text;
  const auto number = take_number(unit, 0);
  const auto entry = std::find_if(std::begin(units), std::end(units), [&](const auto& each) { return each.first == unit; });
  if (!number || entry == std::end(units))
    refuse(fmt::format("'{}' is not a time; write a number and its unit, such as 50us; units are s, ms, us, ns and ps", text));
  return whole_units(*number * entry->second);
}

double parse_number(std::string_view text, std::string_view what, double least) {
  std::string_view rest = text;
  const auto number = take_number(rest, least);
  if (!number || !rest.empty()) refuse(fmt::format("{} '{}' is not a number from {:g} on", what, text, least));
  return *number;
}

double parse_jitter(std::string_view text) {
  std::string_view rest = text;
  const auto number = take_number(rest, 0);
  if (!number || !rest.empty() || *number > 1) refuse(fmt::format("the jitter '{}' is not a number from 0 to 1", text));
  return *number;
}

bool by_events(const Options& options) {
  if (options.by != "rounds" && options.by != "events") refuse(fmt::format("--by is 'rounds' or 'events', not '{}'", options.by));
  return options.by == "events";
}

EventOptions event_options(const Options& options) {
  EventOptions events{.barriers = options.barriers};
  if (!by_events(options)) {
    if (options.barriers || !options.policies.empty() || options.seed || options.late || options.slow_links || options.jitter ||
        options.switching)
      refuse("--policy, --barriers, --seed, --late, --slow-links, --jitter and --switching need --by events");
    return events;
  }
  if (options.barriers && !options.policies.empty()) refuse("with --barriers all policies are the same; leave --policy out");
  if (options.seed) events.seed = static_cast<std::uint64_t>(parse_whole(*options.seed, "the seed", 0));
  if (options.late) {
    const auto [count, time] = parse_some(*options.late, "late ranks", "3:50us");
    events.late_ranks = count;
    events.late_by = parse_time(time);
  }
  if (options.slow_links) {
    const auto [count, factor] = parse_some(*options.slow_links, "slow links", "2:4");
    events.slow_links = count;
    events.slowness = parse_number(factor, "the factor of slow links", 1);
  }
  if (options.jitter) events.jitter = parse_jitter(*options.jitter);
  if (options.switching && *options.switching != "cut-through") {
    if (*options.switching != "wormhole" && *options.switching != "wormhole:1" && *options.switching != "wormhole:2")
      refuse(fmt::format("--switching is cut-through, wormhole or wormhole:1, not '{}'", *options.switching));
    events.switching = Switching::wormhole;
    events.channels = *options.switching == "wormhole:1" ? 1 : 2;
  }
  return events;
}

SimulationSetting setting_of(const Options& options, const Problem& problem) {
  SimulationSetting setting{.machine = options.model.machine_costs(), .by_events = by_events(options)};
  setting.events = event_options(options);
  const bool has_links = options.problem.topology.has_value();
  const auto tells_enough = [&](const Model& each) -> Result<> {
    if (!setting.by_events) return {};
    if (!each.times_of_message) return cannot("events are simulated by the models loggp, linear and flat");
    if (has_links && message_times(each, setting.machine).resources)
      return cannot(
          fmt::format("the model {} knows no links; on a network, events are simulated by the models loggp and linear", each.id));
    return {};
  };
  setting.model = options.model.choose(setting.machine, problem, has_links, tells_enough).model;
  setting.topology = options.problem.network();
  return setting;
}

std::vector<Simulated> simulate(const Case& entry, const SimulationSetting& setting, const std::vector<Policy>& policies,
                                ProgressLine& progress) {
  const std::string name = entry.short_name();
  progress.show(fmt::format("now {}", name));
  const Schedule schedule = progress.followed(entry.schedule());
  const Topology* topology = setting.topology ? &*setting.topology : nullptr;
  if (!setting.by_events)
    return {{name, entry.specification(), Policy::blocking,
             simulate_rounds(schedule, *setting.model, setting.machine,
                             {.topology = topology, .nodes = setting.model->needs_nodes, .work = setting.model->needs_work})}};
  std::vector<Simulated> list;
  for (const Policy policy : policies) {
    EventOptions events = setting.events;
    events.policy = policy;
    events.topology = topology;
    events.progress = [&](Count arrived, Count messages) {
      progress.show(fmt::format(
          "{}, {}: {} of {} messages, {} %", name, quadrille::name(policy), arrived, messages,
          messages == 0 ? 100 : static_cast<int>(100.0 * static_cast<double>(arrived) / static_cast<double>(messages))));
    };
    const EventSimulation simulation = simulate_events(schedule, message_times(*setting.model, setting.machine), events);
    const Picoseconds first_end = *std::min_element(simulation.rank_ends.begin(), simulation.rank_ends.end());
    list.push_back({name, entry.specification(), policy, simulation, simulation.messages, first_end, simulation.link_waits});
  }
  return list;
}

std::vector<SimulationList> simulate(const Options& options, const SimulationSetting& setting, const Subject& subject) {
  std::vector<LeftOut> left_out;
  const std::vector<Problem>& problems = subject.problems;
  const auto cases = subject.cases(options.algorithms, &left_out);
  const std::vector<Policy> policies = options.policies.empty() ? std::vector{Policy::blocking} : parse_policies(options.policies);
  std::vector<SimulationList> lists;
  ProgressLine progress;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    SimulationList list{.problem = problems[i]};
    for (const LeftOut& entry : left_out)
      if (entry.index == i) list.left_out.push_back(entry);
    for (const Case& entry : cases) {
      if (entry.index != i) continue;
      try {
        for (Simulated& simulated : simulate(entry, setting, policies, progress)) list.candidates.push_back(std::move(simulated));
      } catch (const Error& error) {
        const bool may_deadlock = setting.events.switching == Switching::wormhole;
        if (error.code() != ErrorCode::too_large && !may_deadlock) throw;
        list.left_out.push_back({i, entry.short_name(), error.what()});
      }
    }
    if (list.candidates.empty()) {
      if (list.left_out.empty()) continue;
      // The last one applies, but cannot be simulated.
      refuse(fmt::format("{}: {}", list.left_out.back().specification, list.left_out.back().reason));
    }
    std::stable_sort(list.candidates.begin(), list.candidates.end(),
                     [](const Simulated& a, const Simulated& b) { return a.simulation.end < b.simulation.end; });
    lists.push_back(std::move(list));
  }
  return lists;
}

int run(const Options& options) {
  if (options.subject.empty()) refuse("name a collective or a file: quadrille simulate alltoall --ranks 64 --machine sp2");
  const Subject subject = subject_of(options.subject, options.schedules, options.problem);
  const SimulationSetting setting = setting_of(options, subject.problems.front());
  Output output(options.output);
  const std::vector<SimulationList> lists = simulate(options, setting, subject);
  if (options.json) {
    Json array = Json::array();
    for (const SimulationList& list : lists) array.push_back(json_of(list, setting));
    output.finish(to_text(array.size() == 1 ? array[0] : array));
  } else {
    output.finish(text_of(lists, setting));
  }
  return good;
}

}  // namespace

Subcommand add_simulate(CLI::App& command) {
  auto options = std::make_shared<Options>();
  CLI::App* parser =
      add_subcommand(command, "simulate", "run schedules in simulated time on a machine and a network, by rounds or by events");
  add_option(*parser, "subject", options->subject, "a collective, or a document of schedules ('-' is stdin)", "COLLECTIVE|FILE");
  add_algorithm_option(*parser, options->algorithms,
                       "such as bruck:radix=8, or all; repeatable (default: all; if a file is given instead of a collective, only "
                       "its schedules)");
  add_schedule_option(*parser, options->schedules);
  options->problem.add_to(*parser);
  options->model.add_to(*parser);
  begin_group(*parser, group::execution);
  add_option(
      *parser, "--by", options->by,
      "rounds (the default): one round after the other, as 'quadrille price' does; or events: message by message, each rank at "
      "its own pace, by the model loggp, linear or flat",
      "WAY");
  add_policy_option(*parser, options->policies, "by events: blocking (the default), nonblocking, dataflow or all");
  add_flag(*parser, "--barriers", options->barriers, "by events: a barrier after each round");
  add_option(*parser, "--late", options->late, "by events: COUNT ranks begin TIME later than the others, such as 3:50us",
             "COUNT:TIME");
  add_option(*parser, "--slow-links", options->slow_links,
             "by events, with --topology: COUNT links take FACTOR times as long for a byte, such as 2:4", "COUNT:FACTOR");
  add_option(*parser, "--switching", options->switching,
             "by events, with --topology: cut-through (the default), where a message that waits for a link blocks no other; or "
             "wormhole[:CHANNELS], where it holds the links that it has, with 1 or 2 virtual channels a link (default 2)",
             "WAY");
  add_option(*parser, "--jitter", options->jitter,
             "by events: each overhead and latency grows by a random part of itself, up to this share, 0 to 1, such as 0.1",
             "SHARE");
  add_option(*parser, "--seed", options->seed, "by events: seed of the random delays (default: 1)", "NUMBER");
  add_json_flag(*parser, options->json, "one object for one problem, an array for several; times in picoseconds");
  add_output_option(*parser, options->output);
  set_footer(
      *parser,
      "With --by rounds any model of 'quadrille list models' works. One algorithm is shown round by round; several are ranked. "
      "Schedules of files are verified first; a wrong one is refused with its first finding.\n"
      "\nExamples:\n  quadrille simulate alltoall --algorithm bruck --ranks 1048576 --machine sp1\n"
      "  quadrille simulate alltoall --algorithm torus --topology torus:16x16 --block 1KiB --machine paragon\n"
      "  quadrille simulate alltoall --topology torus:2x3 --block 1KiB --machine sp2 --schedule mine.json\n"
      "  quadrille simulate alltoall --algorithm direct --topology torus:8x8 --machine sp2 --by events --slow-links 4:10\n"
      "  quadrille simulate alltoallv --pattern transpose:64KiB --ranks 64 --machine sp2 --by events --policy all");
  return {parser, [options] { return run(*options); }};
}

}  // namespace quadrille::command
