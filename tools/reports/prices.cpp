// SPDX-License-Identifier: BSD-3-Clause
#include "reports/prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "collectives/table.hpp"
#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

bool is_cheaper(const Priced& a, const Priced& b) {
  const auto order = [](const Priced& each) {
    const bool is_last = each.choice.algorithm && is_baseline(*each.choice.algorithm);
    return std::make_tuple(each.best_seconds(), is_last, each.ports);
  };
  return order(a) < order(b);
}

}  // namespace

Pricer::Pricer(ModelChoice model, MachineCosts machine, std::optional<Topology> topology)
    : model_(std::move(model)), machine_(std::move(machine)), topology_(std::move(topology)) {
  coefficients_of(machine_, *model_.model);
}

PriceList Pricer::prices(const Problem& problem, const std::vector<Case>& cases, std::vector<LeftOut> left_out,
                         ProgressLine& progress) const {
  PriceList list{.problem = problem, .left_out = std::move(left_out)};
  std::size_t too_large = 0;
  for (const Case& entry : cases) {
    const std::string name = entry.short_name();
    progress.show(fmt::format("priced {} of {}: now {}", list.candidates.size() + too_large, cases.size(), name));
    try {
      const Workload work = workload_for(model(), progress.followed(entry.schedule()), topology_ ? &*topology_ : nullptr);
      list.messages += work.messages_counted;
      const auto* choice = std::get_if<Choice>(&entry.candidate);
      list.candidates.push_back({name, choice ? shortened(problem, *choice) : Choice{}, entry.specification(),
                                 price_of(work, model(), machine_), work.scratch, work.control_bytes, work.ports,
                                 work.nodes_sampled, entry.vendor ? entry.vendor->note : ""});
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

void Pricer::find_winners(PriceList& list, const AtBlock& at_block, ProgressLine& progress) const {
  std::vector<Choice> candidates;
  for (const Priced& candidate : list.candidates) {
    if (!candidate.note.empty()) return;  // an MPI library takes other algorithms for other sizes
    candidates.push_back(candidate.choice);
  }
  list.winners =
      cheapest_by_block(list.problem, candidates, model(), machine_,
                        {.topology = topology_, .at_block = at_block, .messages = list.messages, .progress = [&](Bytes bytes) {
                           progress.show("now blocks of " + bytes_text(bytes));
                         }});
}

}  // namespace quadrille::command
