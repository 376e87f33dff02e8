// SPDX-License-Identifier: BSD-3-Clause
#include "reports/prices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "reports/flips.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// limit for all candidates' messages at one size: the search for winners prices about fifty sizes
constexpr Count most_messages = 500'000;

bool is_cheaper(const Priced& a, const Priced& b) {
  return std::make_pair(a.best_seconds(), a.ports) < std::make_pair(b.best_seconds(), b.ports);
}

// Returns the same choice for another problem; nothing if a parameter's value is not allowed there or the algorithm does not apply.
std::optional<Choice> choice_for(const Problem& problem, const Choice& unusual) {
  try {
    Choice choice = completed(problem, unusual);
    if (applies(problem, choice)) return choice;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::misuse) throw;
  }
  return std::nullopt;
}

}  // namespace

Policy Priced::best_policy() const {
  Policy best = Policy::blocking;
  for (const Policy policy : {Policy::nonblocking, Policy::dataflow})
    if (price.seconds(policy) < price.seconds(best)) best = policy;
  return best;
}

Pricer::Pricer(const Model& model, MachineCosts machine, std::optional<Topology> topology)
    : model_(&model), machine_(std::move(machine)), topology_(std::move(topology)) {
  coefficients_of(machine_, model);
}

Workload Pricer::counted(const Schedule& schedule) const {
  return workload(schedule,
                  {.topology = topology_ ? &*topology_ : nullptr, .nodes = model_->needs_nodes, .work = model_->needs_work});
}

PriceList Pricer::prices(const Problem& problem, const std::vector<Case>& cases, std::vector<LeftOut> left_out,
                         ProgressLine& progress) const {
  PriceList list{.problem = problem, .left_out = std::move(left_out)};
  std::size_t too_large = 0;
  for (const Case& entry : cases) {
    const std::string name = entry.short_name();
    progress.show(fmt::format("priced {} of {}: now {}", list.candidates.size() + too_large, cases.size(), name));
    try {
      const Workload work = counted(progress.followed(entry.schedule()));
      list.messages += work.messages_counted;
      list.candidates.push_back({name, entry.given ? Choice{} : shortened(problem, entry.choice), entry.specification(),
                                 price_of(work, *model_, machine_), work.scratch, work.control_bytes, work.ports,
                                 work.nodes_sampled});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::too_large) throw;
      list.left_out.push_back({entry.index, name, error.what()});
      ++too_large;
    }
  }
  if (list.candidates.empty()) refuse(fmt::format("{}: {}", list.left_out.front().specification, list.left_out.front().reason));
  std::stable_sort(list.candidates.begin(), list.candidates.end(), is_cheaper);
  return list;
}

void Pricer::find_winners(PriceList& list, const std::function<Problem(Bytes)>& problem_of, ProgressLine& progress) const {
  if (list.messages > most_messages) {
    list.no_winners = fmt::format(
        "the fastest at other sizes is not searched, because each size has {} messages; name fewer candidates", list.messages);
    return;
  }
  const Bytes unit = list.problem.element_bytes;
  std::set<std::string> rivals;
  for (const Priced& candidate : list.candidates) rivals.insert(candidate.name);
  const auto winner_at = [&](Count elements) -> std::string {
    const Problem problem = problem_of(elements * unit);
    progress.show(fmt::format("now blocks of {}", bytes_text(elements * unit)));
    std::vector<Priced> candidates;
    for (const Priced& candidate : list.candidates) {
      if (!rivals.contains(candidate.name)) continue;
      const auto choice = choice_for(problem, candidate.choice);
      if (!choice) continue;
      const Workload work = counted(make_schedule(problem, *choice));
      candidates.push_back({.name = candidate.name, .price = price_of(work, *model_, machine_), .ports = work.ports});
    }
    return candidates.empty() ? "" : std::min_element(candidates.begin(), candidates.end(), is_cheaper)->name;
  };
  try {
    std::vector<Flip> at_powers;
    for (Count elements = 1; elements * unit <= most_block_bytes; elements *= 2)
      at_powers.push_back({elements, winner_at(elements)});
    rivals.clear();
    for (const Flip& each : at_powers) rivals.insert(each.way);
    std::vector<Flip> changes{at_powers[0]};
    const auto is_next = [](Count from, Count to) { return to - from == 1; };
    for (std::size_t i = 1; i < at_powers.size(); ++i) find_changes(at_powers[i - 1], at_powers[i], winner_at, is_next, changes);
    for (const Flip& change : changes) list.winners.push_back({change.from * unit, change.way});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::too_large) throw;
    list.no_winners = error.what();  // a size below the largest block failed
  }
}

}  // namespace quadrille::command
