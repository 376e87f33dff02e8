// SPDX-License-Identifier: BSD-3-Clause
// quadrille simulate: runs schedules in simulated time, by rounds or by events.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/documents.hpp"
#include "options/model_options.hpp"
#include "options/problem_options.hpp"
#include "options/subject.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/simulate.hpp"
#include "reports/bound_report.hpp"
#include "reports/schedule_verdict.hpp"
#include "schedule/ordering.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

struct Simulated {
  std::string name, specification;
  Policy policy = Policy::blocking;  // used with --by events
  Simulation simulation;
  // Only with --by events:
  Count messages = 0;
  Picoseconds first_end = 0;  // the time when the first rank finishes
  Count link_waits = 0;       // with a topology: how often a message has waited at a link
};

struct SimulationList {
  Problem problem;
  std::vector<Simulated> candidates;  // the fastest first
  std::vector<LeftOut> left_out;
  std::optional<double> least_s;   // of any schedule, by the model
  std::vector<std::string> notes;  // what is known of MPI libraries' choices, each with the candidate's name
};

struct SimulationSetting {
  const Model* model = nullptr;
  MachineCosts machine;
  std::optional<Topology> topology;
  bool by_events = false;
  EventOptions events;
};

constexpr std::size_t most_printed_rounds = 40;  // most rounds to print one by one

std::string time_text(Picoseconds time) { return seconds_text(seconds_of(time)); }

// A model that times a whole stage reports no rounds.
std::string rounds_text(std::size_t rounds) { return rounds > 0 ? fmt::format("{}", rounds) : "–"; }

std::string how(const SimulationSetting& setting) {
  if (!setting.by_events) return "by rounds, one after the other";
  const EventOptions& events = setting.events;
  std::string text = "by events, message by message";
  if (events.barriers) text += ", with a barrier after each round";
  if (setting.topology) text += ", with queues at the links of " + setting.topology->name();
  if (events.switching == Switching::wormhole)
    text += fmt::format(" and wormhole switching, {} a link", events.channels == 1 ? "one channel" : "two virtual channels");
  std::vector<std::string> troubles;
  if (events.late_ranks > 0)
    troubles.push_back(fmt::format("{} {} late", counted(events.late_ranks, "rank"), time_text(events.late_by)));
  if (events.slow_links > 0) troubles.push_back(fmt::format("{} links {:g} times as slow", events.slow_links, events.slowness));
  if (events.jitter > 0) troubles.push_back(fmt::format("jitter of up to {:g} times", events.jitter));
  if (!troubles.empty()) text += fmt::format("; {}, drawn from seed {}", fmt::join(troubles, ", "), events.seed);
  return text;
}

std::string with_policy(const Simulated& candidate, const SimulationSetting& setting) {
  return setting.by_events && !setting.events.barriers ? fmt::format("{}, {}", candidate.name, name(candidate.policy))
                                                       : candidate.name;
}

Count most_sharing(const Simulated& candidate) {
  Count most = 0;
  for (const SimulatedStage& stage : candidate.simulation.stages)
    for (const SimulatedRound& round : stage.rounds) most = std::max(most, round.sharing);
  return most;
}

std::string ranking(const SimulationList& list, const SimulationSetting& setting) {
  const bool links = setting.topology && !setting.by_events, waits = setting.topology && setting.by_events;
  std::vector<Column> columns = headings("algorithm");
  if (setting.by_events && !setting.events.barriers) columns.push_back({"policy"});
  columns.push_back({"rounds", Align::right});
  if (links) columns.push_back({"sharing", Align::right});
  if (setting.by_events) columns.insert(columns.end(), {{"messages", Align::right}, {"first rank", Align::right}});
  if (waits) columns.push_back({"waits", Align::right});
  columns.insert(columns.end(), {{"time", Align::right}, {"ratio", Align::right}});
  if (list.least_s) columns.push_back({"/ bound", Align::right});
  Table table(columns);
  const auto least = static_cast<double>(list.candidates.front().simulation.end);
  for (const Simulated& candidate : list.candidates) {
    std::size_t rounds = 0;
    for (const SimulatedStage& stage : candidate.simulation.stages) rounds += stage.rounds.size();
    std::vector<TableCell> row{candidate.name};
    if (setting.by_events && !setting.events.barriers) row.push_back(std::string(name(candidate.policy)));
    row.push_back(rounds_text(rounds));
    if (links) row.push_back(fmt::format("{}", most_sharing(candidate)));
    if (setting.by_events) row.insert(row.end(), {fmt::format("{}", candidate.messages), time_text(candidate.first_end)});
    if (waits) row.push_back(fmt::format("{}", candidate.link_waits));
    row.push_back(time_text(candidate.simulation.end));
    row.push_back(least > 0 ? fmt::format("{:.2f}", static_cast<double>(candidate.simulation.end) / least) : "–");
    if (list.least_s) row.push_back(over_bound_text(seconds_of(candidate.simulation.end), list.least_s));
    table.add(std::move(row));
  }
  return table.text();
}

// Lists the rounds with their times; if there are too many rounds, lists the stages.
std::string course(const Simulated& candidate, const SimulationSetting& setting) {
  std::size_t rounds = 0;
  for (const SimulatedStage& stage : candidate.simulation.stages) rounds += stage.rounds.size();
  const bool by_round = rounds > 0 && rounds <= most_printed_rounds, links = setting.topology && !setting.by_events;
  std::vector<Column> columns = headings("stage");
  columns.push_back({by_round ? "round" : "rounds", Align::right});
  columns.insert(columns.end(), {{"begin", Align::right}, {"end", Align::right}});
  if (links)
    columns.insert(columns.end(),
                   {{"sharing", Align::right}, {"on a link", Align::right}, {by_round ? "busiest link" : "such a link"}});
  Table table(columns);
  for (const SimulatedStage& stage : candidate.simulation.stages) {
    SimulatedRound busiest;
    const auto add = [&](const std::string& count, Picoseconds begin, Picoseconds end, const SimulatedRound& round) {
      std::vector<TableCell> row{printable(stage.name), count, time_text(begin), time_text(end)};
      if (links)
        row.insert(row.end(), {fmt::format("{}", round.sharing), Sizes{{round.link_bytes}},
                               round.sharing > 0 ? setting.topology->text_of(round.busiest_link) : "–"});
      table.add(std::move(row));
    };
    for (const SimulatedRound& round : stage.rounds) {
      if (by_round) add(fmt::format("{}", round.number), round.begin, round.end, round);
      if (round.sharing > busiest.sharing) busiest.sharing = round.sharing, busiest.busiest_link = round.busiest_link;
      busiest.link_bytes = std::max(busiest.link_bytes, round.link_bytes);
    }
    if (!by_round) add(rounds_text(stage.rounds.size()), stage.begin, stage.end, busiest);
  }
  return table.text();
}

std::string simulation_text(const std::vector<SimulationList>& lists, const SimulationSetting& setting) {
  std::vector<const Problem*> problems;
  for (const SimulationList& list : lists) problems.push_back(&list.problem);
  const Places places(*setting.model, problems);
  std::string text = model_text(*setting.model, setting.machine, places);
  text += paragraph(how(setting));
  for (const SimulationList& list : lists) {
    text += fmt::format("\n{}, {}{}\n\n", name(list.problem.collective), problem_text(list.problem), places.beside(list.problem));
    if (list.candidates.size() == 1)
      text += fmt::format("{}: {}\n\n{}", with_policy(list.candidates[0], setting), time_text(list.candidates[0].simulation.end),
                          course(list.candidates[0], setting));
    else
      text += ranking(list, setting);
    if (list.least_s)
      text +=
          '\n' + paragraph(fmt::format("Every schedule takes at least {} by this model; the fastest here takes {} times as long.",
                                       seconds_text(*list.least_s),
                                       over_bound_text(seconds_of(list.candidates[0].simulation.end), list.least_s)));
    for (const LeftOut& entry : list.left_out) text += '\n' + wrapped(sentence_of(entry) + '.', terminal_width(), 2);
    if (!list.left_out.empty()) text += '\n';
    for (const std::string& note : list.notes) text += '\n' + paragraph(note + '.');
  }
  return text;
}

Json round_json(const SimulatedRound& round, const SimulationSetting& setting) {
  Json object{{"number", round.number}, {"begin_ps", round.begin}, {"end_ps", round.end}};
  if (!setting.topology || setting.by_events) return object;
  object.update(MEMBERS_OF(round, sharing, link_bytes));
  if (round.sharing > 0) object["busiest_link"] = setting.topology->text_of(round.busiest_link);
  return object;
}

Json candidate_json(const Simulated& candidate, const SimulationSetting& setting) {
  Json object{{"algorithm", candidate.specification}, {"short_name", candidate.name}, {"end_ps", candidate.simulation.end}};
  if (setting.by_events) {
    object["policy"] = name(candidate.policy);
    object["messages"] = candidate.messages;
    object["first_end_ps"] = candidate.first_end;
    if (setting.topology) object["link_waits"] = candidate.link_waits;
  }
  object["stages"] = array_of(candidate.simulation.stages, [&](const SimulatedStage& stage) {
    const auto of_round = [&](const SimulatedRound& round) { return round_json(round, setting); };
    return Json{
        {"name", stage.name}, {"begin_ps", stage.begin}, {"end_ps", stage.end}, {"rounds", array_of(stage.rounds, of_round)}};
  });
  return object;
}

Json simulation_json(const SimulationList& list, const SimulationSetting& setting) {
  Json object{{"collective", name(list.problem.collective)},
              {"ranks", list.problem.ranks},
              {"nodes", nodes_in(*setting.model, list.problem)},
              {"block_bytes", list.problem.block_bytes},
              {"machine", setting.machine.name},
              {"model", setting.model->id},
              {"coefficients", coefficients_of(setting.machine, *setting.model)},
              {"by", setting.by_events ? "events" : "rounds"}};
  if (is_rooted(list.problem.collective)) object["root"] = list.problem.root;
  if (is_irregular(list.problem.collective)) {
    const std::vector<Bytes> shares = block_cell(list.problem).sizes;
    object["shares"] = block_text(list.problem);  // from the smallest to the largest
    object["largest_share"] = *std::max_element(shares.begin(), shares.end());
  }
  if (setting.topology) object["topology"] = setting.topology->name();
  if (setting.by_events) {
    object.update(MEMBERS_OF(setting.events, barriers, seed, late_ranks));
    object["late_by_ps"] = setting.events.late_by;
    object.update(MEMBERS_OF(setting.events, slow_links, slowness, jitter));
    object["switching"] = setting.events.switching == Switching::wormhole ? "wormhole" : "cut-through";
  }
  object["candidates"] = array_of(list.candidates, [&](const Simulated& each) { return candidate_json(each, setting); });
  object["left_out"] = array_of(list.left_out, left_out_json);
  object["least_s"] = list.least_s;
  object["ratio_to_least"] = list.least_s ? Json(seconds_of(list.candidates[0].simulation.end) / *list.least_s) : Json();
  if (!list.notes.empty()) object["notes"] = list.notes;
  return object;
}

struct SimulateArguments {
  std::string subject, by = "rounds";  // subject: a collective or a file
  SubjectOptions about;
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
  const bool has_links = options.about.problem.topology.has_value();
  const auto tells_enough = [&](const Model& each) -> Result<> {
    if (!setting.by_events) return {};
    return simulates_events(each, setting.machine, has_links);
  };
  setting.model = options.model.choose(setting.machine, problem, has_links, tells_enough).model;
  setting.topology = options.about.problem.network();
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
  const auto cases = subject.cases(options.about.algorithms, &left_out);
  const std::vector<Policy> policies = options.events.policy_list();
  std::vector<SimulationList> lists;
  ProgressLine progress;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Topology* const topology = setting.topology ? &*setting.topology : nullptr;
    SimulationList list{.problem = problems[i],
                        .least_s = least_seconds(problems[i], *setting.model, setting.machine, topology, !setting.by_events)};
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
      // The last case that was left out applies to the problem, but cannot be simulated.
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
  const Subject subject = subject_of(options.subject, options.about);
  const SimulationSetting setting = setting_of(options, subject.problems.front());
  Output output(options.output);
  const std::vector<SimulationList> lists = simulate(options, setting, subject);
  output.finish(
      options.json
          ? document_text("simulate",
                          one_or_all(array_of(lists, [&](const SimulationList& list) { return simulation_json(list, setting); })))
          : simulation_text(lists, setting));
  return good;
}

}  // namespace

Subcommand add_simulate(CLI::App& command) {
  auto options = std::make_shared<SimulateArguments>();
  OptionTable table(command, "simulate", "run schedules in simulated time on a machine and a network, by rounds or by events");
  table.add(group::arguments,
            {{"subject", "COLLECTIVE|FILE", options->subject, "a collective, or a document of schedules ('-' is stdin)"}});
  options->about.add_to(table,
                        "such as bruck:radix=8, or all, or " + vendor_case_help() +
                            "; repeatable (default: all; if a file is given instead of a collective, only "
                            "its schedules)",
                        /*takes_schedules=*/true);
  options->model.add_to(table);
  table.add(
      group::execution,
      {{"--by", "WAY", options->by,
        "rounds (the default): one round after the other, as 'quadrille price' does; or events: message by message, each rank at "
        "its own pace, by the model loggp, linear or flat"}});
  options->events.add_to(table);
  table.add_json(options->json, "one object for one problem, an array for several; times in picoseconds");
  table.add_output(options->output);
  table.set_footer(
      "With --by rounds any model of 'quadrille list models' works. One algorithm is shown round by round; several are ranked. "
      "Schedules of files and commands are verified first; a wrong one is refused with its first finding.\n"
      "\nExamples:\n  quadrille simulate alltoall --algorithm bruck --ranks 1048576 --machine sp1\n"
      "  quadrille simulate alltoall --algorithm torus --topology torus:16x16 --block 1KiB --machine paragon\n"
      "  quadrille simulate alltoall --topology torus:2x3 --block 1KiB --machine sp2 --schedule mine.json\n"
      "  quadrille simulate alltoall --algorithm direct --topology torus:8x8 --machine sp2 --by events --slow-links 4:10\n"
      "  quadrille simulate alltoallv --pattern transpose:64KiB --ranks 64 --machine sp2 --by events --policy all");
  return {std::move(table), [options] { return run_simulate(*options); }};
}

}  // namespace quadrille::command
