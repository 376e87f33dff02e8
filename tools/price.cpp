// SPDX-License-Identifier: BSD-3-Clause
// quadrille price: what schedules would take on a machine, by the flat model, and why the fastest is the fastest.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "arguments.hpp"
#include "cases.hpp"
#include "command.hpp"
#include "json.hpp"
#include "output.hpp"
#include "problem_options.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/model.hpp"
#include "talk.hpp"
#include "text.hpp"
#include "verdict.hpp"

namespace quadrille::command {
namespace {

struct Options {
  std::string collective;
  std::vector<std::string> algorithms;
  ProblemOptions problem;
  std::optional<std::string> machine, contention, output;
  bool json = false;
};

struct Candidate {
  std::string name, full_name;
  Prediction prediction;
  Figures figures;

  double seconds(Policy policy) const { return prediction.seconds(policy); }
  // The plainest of the fastest.
  Policy best_policy() const {
    Policy best = Policy::blocking;
    for (const Policy policy : {Policy::nonblocking, Policy::dataflow})
      if (seconds(policy) < seconds(best)) best = policy;
    return best;
  }
  double best_seconds() const { return seconds(best_policy()); }
};

struct Priced {
  Problem problem;
  std::vector<Candidate> candidates;

  const Candidate& best() const { return *std::min_element(candidates.begin(), candidates.end(), faster); }
  const Candidate* next() const {  // of another algorithm or setting
    const Candidate* second = nullptr;
    for (const Candidate& candidate : candidates)
      if (&candidate != &best() && (!second || faster(candidate, *second))) second = &candidate;
    return second;
  }

 private:
  static bool faster(const Candidate& a, const Candidate& b) { return a.best_seconds() < b.best_seconds(); }
};

FlatModel machine_of(const Options& options) {
  if (!options.machine)
    refuse(fmt::format("name a machine: --machine sp2; there are: {}, or your own file", fmt::join(machine_names(), ", ")));
  FlatModel machine = find_machine(*options.machine);
  if (options.contention) {
    double factor = 0;
    const std::string& text = *options.contention;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), factor);
    if (status != std::errc{} || end != text.data() + text.size() || !(factor >= 1) || !std::isfinite(factor))
      refuse(fmt::format("the contention factor '{}' is no number from 1 on", text));
    machine.contention = factor;
  }
  return machine;
}

std::vector<Priced> priced(const Options& options, const FlatModel& machine) {
  const auto problems = options.problem.problems(parse_collective(options.collective));
  const auto cases = make_cases(problems, options.algorithms.empty() ? std::vector<std::string>{"all"} : options.algorithms);
  std::vector<Priced> list(problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) list[i].problem = problems[i];
  Progress progress;
  std::size_t done = 0;
  for (const Case& entry : cases) {
    const std::string name = short_name(entry.problem, entry.choice);
    progress.show(fmt::format("priced {} of {}: now {}", done++, cases.size(), name));
    const Schedule schedule = make_schedule(entry.problem, entry.choice);
    list[entry.index].candidates.push_back(
        {name, full_name(entry.choice), predict(stage_figures(schedule), machine), figures(schedule)});
  }
  std::erase_if(list, [](const Priced& entry) { return entry.candidates.empty(); });
  return list;
}

// What the candidate pays for its start-ups, and for its bytes.
std::string account_of(const Candidate& candidate, const FlatModel& machine) {
  const double per_byte = machine.compose_s_per_byte + machine.copy_s_per_byte + machine.wire_s_per_byte;
  return fmt::format("{} start-ups ({}) and {} ({})", candidate.prediction.startups,
                     seconds_text(static_cast<double>(candidate.prediction.startups) * machine.startup_s),
                     bytes_text(candidate.prediction.volume),
                     seconds_text(static_cast<double>(candidate.prediction.volume) * per_byte));
}

std::string reason(const Priced& entry, const FlatModel& machine) {
  const Candidate& best = entry.best();
  std::string text = fmt::format("Fastest: {}, {}: {}.", best.name, name(best.best_policy()), account_of(best, machine));
  const Candidate* next = entry.next();
  if (!next) return text;
  text += fmt::format(" Next: {}, {}, {:.2f} times as long: {}.", next->name, name(next->best_policy()),
                      best.best_seconds() > 0 ? next->best_seconds() / best.best_seconds() : 1.0, account_of(*next, machine));
  const Count startups = next->prediction.startups - best.prediction.startups;
  const Bytes volume = next->prediction.volume - best.prediction.volume;
  if (startups > 0 && volume < 0)
    text += fmt::format(" {} sends more bytes to save start-ups, and start-ups cost more here.", best.name);
  else if (startups < 0 && volume > 0)
    text += fmt::format(" {} starts more messages to save bytes, and bytes cost more here.", best.name);
  else if (startups > 0 || volume > 0)
    text += fmt::format(" {} needs no more of either.", best.name);
  else
    text += fmt::format(" What {} has more of is hidden behind the rest.", best.name);
  if (best.figures.ports > 1 && !machine.contention)
    text += fmt::format(
        " Messages of {} go at their own pace and may meet; without a contention factor this is the least it takes.", best.name);
  return text;
}

std::string machine_text(const FlatModel& machine) {
  std::string text = fmt::format("{}: {} [{}]; a start-up {}, a byte {:.3g} + {:.3g} + {:.3g} ns (compose, copy, wire)",
                                 machine.name, machine.description, machine.source, seconds_text(machine.startup_s),
                                 machine.compose_s_per_byte * 1e9, machine.copy_s_per_byte * 1e9, machine.wire_s_per_byte * 1e9);
  if (machine.contention) text += fmt::format(", contention {:.3g}", *machine.contention);
  return text;
}

std::string text_of(const std::vector<Priced>& list, const FlatModel& machine) {
  std::string text = wrapped(machine_text(machine), terminal_width(), 2) + '\n';
  for (const Priced& entry : list) {
    text += fmt::format("\n{}, {}\n\n", name(entry.problem.collective), problem_text(entry.problem));
    Table table({{"algorithm"},
                 {"S", Align::right},
                 {"V", Align::right},
                 {"buffers", Align::right},
                 {"control", Align::right},
                 {"blocking", Align::right},
                 {"nonblocking", Align::right},
                 {"dataflow", Align::right}});
    for (const Candidate& candidate : entry.candidates)
      table.add({candidate.name, fmt::format("{}", candidate.prediction.startups), bytes_text(candidate.prediction.volume),
                 bytes_text(candidate.figures.scratch), bytes_text(candidate.figures.control_bytes),
                 seconds_text(candidate.prediction.blocking_s), seconds_text(candidate.prediction.nonblocking_s),
                 seconds_text(candidate.prediction.dataflow_s)});
    text += table.text() + '\n' + wrapped(reason(entry, machine), terminal_width(), 2) + '\n';
  }
  return text;
}

Json json_of(const Priced& entry, const FlatModel& machine) {
  Json candidates = Json::array();
  for (const Candidate& candidate : entry.candidates)
    candidates.push_back({{"algorithm", candidate.full_name},
                          {"startups", candidate.prediction.startups},
                          {"volume", candidate.prediction.volume},
                          {"scratch", candidate.figures.scratch},
                          {"control_bytes", candidate.figures.control_bytes},
                          {"blocking_s", candidate.prediction.blocking_s},
                          {"nonblocking_s", candidate.prediction.nonblocking_s},
                          {"dataflow_s", candidate.prediction.dataflow_s}});
  Json object{{"collective", name(entry.problem.collective)},
              {"ranks", entry.problem.ranks},
              {"block_bytes", entry.problem.block_bytes},
              {"machine", machine.name},
              {"contention", machine.contention ? Json(*machine.contention) : Json(nullptr)},
              {"candidates", std::move(candidates)},
              {"fastest",
               {{"algorithm", entry.best().full_name},
                {"policy", name(entry.best().best_policy())},
                {"seconds", entry.best().best_seconds()}}},
              {"reason", reason(entry, machine)}};
  if (is_irregular(entry.problem.collective)) object["counts"] = all_counts(entry.problem);
  return object;
}

int run(const Options& options) {
  if (options.collective.empty()) refuse("name a collective: quadrille price alltoallv --ranks 64 --machine sp2");
  const FlatModel machine = machine_of(options);
  Output output(options.output);
  const std::vector<Priced> list = priced(options, machine);
  if (options.json) {
    Json array = Json::array();
    for (const Priced& entry : list) array.push_back(json_of(entry, machine));
    output.finish(to_text(array.size() == 1 ? array[0] : array));
  } else {
    output.finish(text_of(list, machine));
  }
  return good;
}

}  // namespace

Subcommand add_price(CLI::App& command) {
  auto options = std::make_shared<Options>();
  CLI::App* parser = command.add_subcommand("price", "what schedules would take on a machine, by a model, and which is fastest");
  parser->add_option("collective", options->collective, "the collective")->type_name("COLLECTIVE");
  parser->add_option("--algorithm", options->algorithms, "such as four-stage:columns=paper, or all (the default); repeatable")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  options->problem.add_to(*parser);
  parser
      ->add_option("--machine", options->machine,
                   fmt::format("the machine: {}, or a file like theirs", fmt::join(machine_names(), ", ")))
      ->type_name("NAME|FILE");
  parser
      ->add_option("--contention", options->contention,
                   "how much longer the wire takes where messages meet and ranks go at their own pace, as measured (default: the "
                   "machine's, or else ranks go in step)")
      ->type_name("FACTOR");
  parser->add_flag("--json", options->json, "one object for one problem, an array for several");
  parser->add_option("--output", options->output, "write to this file instead of stdout")->type_name("FILE");
  parser->footer(
      "S: start-ups, and V: bytes, of the rounds one after the other, each as long as the longest; control messages count. A stage "
      "takes "
      "S start-ups and V bytes composed, copied and sent (blocking), or composed and the longest of the rest (nonblocking), and "
      "composing is hidden behind the stage before (dataflow).\n\n"
      "Examples:\n  quadrille price alltoallv --pattern transpose:64KiB --ranks 64 --machine sp2\n"
      "  quadrille price alltoall --ranks 64 --block 8B,1KiB,64KiB --machine t3e --algorithm shift --algorithm bruck:radix=2..8");
  return {parser, [options] { return run(*options); }};
}

}  // namespace quadrille::command
