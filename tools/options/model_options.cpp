// SPDX-License-Identifier: BSD-3-Clause
#include "options/model_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "options/arguments.hpp"
#include "quadrille/indexed.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model* model : all_models()) names.emplace_back(model->id);
  return names;
}

const Model& named_model(const std::string& name) {
  const Model* model = find_model(name);
  if (!model) refuse_unknown("model", name, model_names());
  return *model;
}

// Returns a sentence: the chosen model ignores nodes. The sentence names models that count nodes, or says why none can be used.
std::string nodes_are_ignored(const Model& chosen, const MachineCosts& costs, const ModelOptions::Suits& suits) {
  std::string able, unable;
  for (const Model* model : all_models()) {
    if (!counts_nodes(*model)) continue;
    if (const auto suited = suits(*model); !suited)
      unable += fmt::format("; {} does, but {}", model->id, suited.error());
    else if (costs.models.contains(model->id))
      able += fmt::format("; --model {} does", model->id);
    else
      unable += fmt::format("; {} does, but the machine {} has no figures for it", model->id, costs.name);
  }
  return fmt::format("nodes are ignored: the model {} does not count them{}", chosen.id, able.empty() ? unable : able);
}

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

}  // namespace

void ModelOptions::add_to(OptionTable& table) {
  table.add(group::machine,
            {{"--machine", "NAME|FILE", machine,
              fmt::format("the machine: {}, or the path of another machine file; 'quadrille calibrate' makes this-machine",
                          fmt::join(machine_names(), ", "))},
             {"--model", "MODEL", model,
              fmt::format("the model: {} (default: the first of these for which the machine has figures and the options describe "
                          "enough of the problem)",
                          fmt::join(model_names(), ", "))}});
}

MachineCosts ModelOptions::machine_costs() const {
  if (!machine)
    refuse(fmt::format("name a machine: --machine sp2; there are: {}, or your own file", fmt::join(machine_names(), ", ")));
  return find_machine(*machine);
}

ModelChoice ModelOptions::choose(const MachineCosts& costs, const Problem& problem, bool has_links, const Suits& suits) const {
  PricingFacts facts = pricing_facts(problem);
  facts.has_links = has_links;
  ModelChoice choice;
  if (model) {
    choice.model = &named_model(*model);
  } else if (auto chosen = choose_model(costs, facts, suits)) {
    choice = *std::move(chosen);
  } else {
    refuse(chosen.error());
  }
  coefficients_of(costs, *choice.model);  // throws if the machine has no coefficients for this model
  if (facts.has_nodes && !counts_nodes(*choice.model)) remark(nodes_are_ignored(*choice.model, costs, suits));
  return choice;
}

Places::Places(const Model& model, std::span<const Problem* const> problems) : model_(model) {
  const std::string first = place_text(model, *problems.front());
  const auto is_there = [&](const Problem* problem) { return place_text(model, *problem) == first; };
  if (std::all_of(problems.begin(), problems.end(), is_there)) common_ = ", " + first;
}

std::string Places::beside(const Problem& problem) const { return common_.empty() ? ", " + place_text(model_, problem) : ""; }

std::string model_text(const Model& model, const MachineCosts& machine, const Places& places) {
  const Coefficients& coefficients = coefficients_of(machine, model);
  std::vector<std::string> values;
  for (const Coefficient& coefficient : model.coefficients)
    if (const auto value = coefficients.find(coefficient.key); value != coefficients.end())
      values.push_back(fmt::format("{} {:.4g}", coefficient.key, value->second));
  return paragraph(fmt::format("{}{}: {} [{}]", machine.name, places.common(), machine.description, machine.source)) +
         paragraph(fmt::format("{}: {} [{}]; {}", model.id, model.formula, model.source, fmt::join(values, ", ")));
}

const Assumptions& assumptions_of(const Model& model, const MachineCosts& machine) {
  static const Assumptions none;
  const auto rules = machine.assumed.find(model.id);
  return rules == machine.assumed.end() ? none : rules->second;
}

std::string assumptions_text(const Model& model, const MachineCosts& machine) {
  const Assumptions& rules = assumptions_of(model, machine);
  if (rules.empty()) return "";
  std::string text = "Assumed, because no published figure was found:\n";
  for (const Coefficient& coefficient : model.coefficients)
    if (const auto rule = rules.find(coefficient.key); rule != rules.end())
      text += paragraph(fmt::format("  {}: {}", coefficient.key, rule->second), 4);
  return text;
}

void EventArguments::add_to(OptionTable& table) {
  table.add(group::execution,
            {{"--policy", "LIST", policies, "by events: blocking (the default), nonblocking, dataflow or all"},
             {"--barriers", "", barriers, "by events: a barrier after each round"},
             {"--late", "COUNT:TIME", late, "by events: COUNT ranks begin TIME later than the others, such as 3:50us"},
             {"--slow-links", "COUNT:FACTOR", slow_links,
              "by events, with --topology: COUNT links take FACTOR times as long for a byte, such as 2:4"},
             {"--switching", "WAY", switching,
              "by events, with --topology: cut-through (the default), where a message that waits for a link blocks no other; or "
              "wormhole[:CHANNELS], where it holds the links that it has, with 1 or 2 virtual channels a link (default 2)"},
             {"--jitter", "SHARE", jitter,
              "by events: each overhead and latency grows by a random part of itself, up to this share, 0 to 1, such as 0.1"},
             {"--seed", "NUMBER", seed, "by events: seed of the random delays (default: 1)"}});
}

bool EventArguments::given() const { return barriers || !policies.empty() || seed || late || slow_links || jitter || switching; }

std::vector<Policy> EventArguments::policy_list() const {
  return policies.empty() ? std::vector{Policy::blocking} : parse_policies(policies);
}

EventOptions EventArguments::options() const {
  EventOptions events{.barriers = barriers};
  if (barriers && !policies.empty()) refuse("with --barriers all policies are the same; leave --policy out");
  if (seed) events.seed = static_cast<std::uint64_t>(parse_whole(*seed, "the seed", 0));
  if (late) {
    const auto [count, time] = parse_some(*late, "late ranks", "3:50us");
    events.late_ranks = count;
    events.late_by = parse_time(time);
  }
  if (slow_links) {
    const auto [count, factor] = parse_some(*slow_links, "slow links", "2:4");
    events.slow_links = count;
    events.slowness = parse_number(factor, "the factor of slow links", 1);
  }
  if (jitter) events.jitter = parse_jitter(*jitter);
  if (switching && *switching != "cut-through") {
    if (*switching != "wormhole" && *switching != "wormhole:1" && *switching != "wormhole:2")
      refuse(fmt::format("--switching is cut-through, wormhole or wormhole:1, not '{}'", *switching));
    events.switching = Switching::wormhole;
    events.channels = *switching == "wormhole:1" ? 1 : 2;
  }
  return events;
}

Result<> simulates_events(const Model& model, const MachineCosts& machine, bool has_links) {
  if (!model.times_of_message) return cannot("events are simulated by the models loggp, linear and flat");
  if (has_links && message_times(model, machine).resources)
    return cannot(
        fmt::format("the model {} knows no links; on a network, events are simulated by the models loggp and linear", model.id));
  return {};
}

}  // namespace quadrille::command
