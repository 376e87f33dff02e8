// SPDX-License-Identifier: BSD-3-Clause
// Runs many executions of a few plans at the same time; each rank completes them in an order of its own.
#pragma once

#include "support/occasion.hpp"

namespace quadrille::testing {

// Collective. Starts plans `starts` times, with barriers and blocking executions in between. `common` draws the plans, in the
// same way on all ranks; `own` draws the order in which this rank completes them. Returns what is wrong on this rank.
inline std::string first_fault_of_many(Communicator& communicator, std::size_t starts, std::mt19937_64& common,
                                       std::mt19937_64& own, bool by_vendor) {
  std::vector<std::shared_ptr<Drawn>> plans;
  for (int i = 0; i < 6; ++i) plans.push_back(std::make_shared<Drawn>(communicator, common, by_vendor));
  std::string wrong;
  const auto note = [&](const std::string& fault) {
    if (wrong.empty()) wrong = fault;
  };
  std::vector<Occasion> open;
  for (std::size_t start = 0; start < starts; ++start) {
    open.emplace_back(plans[common() % plans.size()], common);
    open.back().begin(common);
    if (common() % 16 == 0) communicator.barrier();
    if (common() % 16 == 0) note(Occasion(plans[common() % plans.size()], common).run(common));
    if (own() % 4 == 0) open[own() % open.size()].request().test();
  }
  plans.clear();  // requests keep the memory that they need
  std::shuffle(open.begin(), open.end(), own);
  for (Occasion& each : open) {
    while (own() % 2 == 0 && !each.request().test()) {}
    note(each.end());
  }
  return wrong;
}

}  // namespace quadrille::testing
