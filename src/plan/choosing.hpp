// SPDX-License-Identifier: BSD-3-Clause
// Plans that choose what they run. All ranks must choose alike, so a choice depends only on what is equal on all ranks: the
// problem, and what they know of the machine (knowledge.hpp). Layouts, buffers and a rank's own counts never enter.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "plan/request.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// What a rank has chosen by its knowledge, before the ranks compare.
struct Chosen {
  PlanOptions options;  // that name what runs
  std::shared_ptr<const Decision> decision;
  std::uint64_t knowledge = 0;  // Knowledge::hash

  bool is_vendor() const;
};

// Local. `kept` is the group.
using Choose = std::function<Chosen(Communicator& kept, const Problem& placed)>;

// No plan: the ranks did not choose by the same knowledge, or some rank refuses the vendor's collective. The same on all ranks.
struct ChosenPlan {
  std::optional<Plan> plan;
  bool vendor_is_refused = false;
};

// Collective: the plan of what all ranks choose (plan.cpp).
ChosenPlan plan_chosen(Communicator& communicator, const Problem& problem, const PlanOptions& options, const Choose& choose);

// Collective: as `plan`, for options that leave the choice to it.
Plan choose_and_plan(Communicator& communicator, const Problem& problem, const PlanOptions& options);

// Collective: what a plan with these options would run, without making it. Not for alltoallv. With the efforts that race, a race
// takes about `race_s` seconds.
Chosen choose(Communicator& communicator, const Problem& problem, const PlanOptions& options, double race_s = 1);

// Throws Error{misuse} for options that contradict the problem or each other. `vendor`: the vendor's collective is to run.
void check_options(const Problem& problem, const PlanOptions& options, bool vendor);

// With the communicator's nodes where the problem names none. Throws Error{misuse} as `check`, and where the group has another
// number of ranks.
Problem checked_for(Communicator& communicator, const Problem& asked);

}  // namespace quadrille
