// SPDX-License-Identifier: BSD-3-Clause
// quadrille simulate: runs schedules in simulated time, by rounds or by events.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/common_options.hpp"
#include "options/event_arguments.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "options/vendor_case.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "reports/simulation_report.hpp"
#include "schedule/ordering.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

struct SimulateArguments {
  std::string subject, by = "rounds";  // subject: a collective or a file
  std::vector<std::string> algorithms, schedules;
  GeneratorOptions generators;
  ProblemOptions problem;
  ModelOptions model;
  EventArguments events;
  std::optional<std::string> output;
  bool json = false;
};

bool by_events(const SimulateArguments& options) {
  if (options.by != "rounds" && options.by != "events") refuse(fmt::format("--by is 'rounds' or 'events', not '{}'", options.by));
  return options.by == "events";
}

SimulationSetting setting_of(const SimulateArguments& options, const Problem& problem) {
  SimulationSetting setting{.machine = options.model.machine_costs(), .by_events = by_events(options)};
  if (!setting.by_events && options.events.given())
    refuse("--policy, --barriers, --seed, --late, --slow-links, --jitter and --switching need --by events");
  setting.events = options.events.options();
  const bool has_links = options.problem.topology.has_value();
  const auto tells_enough = [&](const Model& each) -> Result<> {
    if (!setting.by_events) return {};
    return simulates_events(each, setting.machine, has_links);
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

std::vector<SimulationList> simulate(const SimulateArguments& options, const SimulationSetting& setting, const Subject& subject) {
  std::vector<LeftOut> left_out;
  const std::vector<Problem>& problems = subject.problems;
  const auto cases = subject.cases(options.algorithms, &left_out);
  const std::vector<Policy> policies = options.events.policy_list();
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
        if (entry.vendor) list.notes.push_back(fmt::format("{}: {}", entry.vendor->name, entry.vendor->note));
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

int run_simulate(const SimulateArguments& options) {
  if (options.subject.empty()) refuse("name a collective or a file: quadrille simulate alltoall --ranks 64 --machine sp2");
  const Subject subject = subject_of(options.subject, options.schedules, options.generators, options.problem);
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
  auto options = std::make_shared<SimulateArguments>();
  CLI::App* parser =
      add_subcommand(command, "simulate", "run schedules in simulated time on a machine and a network, by rounds or by events");
  add_option(*parser, "subject", options->subject, "a collective, or a document of schedules ('-' is stdin)", "COLLECTIVE|FILE");
  add_algorithm_option(*parser, options->algorithms,
                       "such as bruck:radix=8, or all, or " + vendor_case_help() +
                           "; repeatable (default: all; if a file is given instead of a collective, only "
                           "its schedules)");
  add_schedule_option(*parser, options->schedules);
  options->generators.add_to(*parser);
  options->problem.add_to(*parser);
  options->model.add_to(*parser);
  begin_group(*parser, group::execution);
  add_option(
      *parser, "--by", options->by,
      "rounds (the default): one round after the other, as 'quadrille price' does; or events: message by message, each rank at "
      "its own pace, by the model loggp, linear or flat",
      "WAY");
  options->events.add_to(*parser);
  add_json_flag(*parser, options->json, "one object for one problem, an array for several; times in picoseconds");
  add_output_option(*parser, options->output);
  set_footer(
      *parser,
      "With --by rounds any model of 'quadrille list models' works. One algorithm is shown round by round; several are ranked. "
      "Schedules of files and commands are verified first; a wrong one is refused with its first finding.\n"
      "\nExamples:\n  quadrille simulate alltoall --algorithm bruck --ranks 1048576 --machine sp1\n"
      "  quadrille simulate alltoall --algorithm torus --topology torus:16x16 --block 1KiB --machine paragon\n"
      "  quadrille simulate alltoall --topology torus:2x3 --block 1KiB --machine sp2 --schedule mine.json\n"
      "  quadrille simulate alltoall --algorithm direct --topology torus:8x8 --machine sp2 --by events --slow-links 4:10\n"
      "  quadrille simulate alltoallv --pattern transpose:64KiB --ranks 64 --machine sp2 --by events --policy all");
  return {parser, [options] { return run_simulate(*options); }};
}

}  // namespace quadrille::command
