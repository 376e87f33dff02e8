// SPDX-License-Identifier: BSD-3-Clause
// Plans whose algorithm somebody else chooses (src/tune/choosing). All ranks must make the same choice. So each rank chooses by
// knowledge that has a hash, and the ranks compare the hashes together with their requests.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "plan/request.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// The choice of one rank by its own knowledge, before ranks compare their choices.
struct Chosen {
  PlanOptions options;  // with the chosen candidate, policy and executor filled in
  std::shared_ptr<const Decision> decision;
  std::uint64_t knowledge = no_knowledge;  // hash of the knowledge used

  bool is_vendor() const;
};

// Makes the choice; local. `kept` is the communicator that the plan keeps alive.
using Choose = std::function<Chosen(Communicator& kept, const Problem& placed)>;

// The result of plan_chosen, equal on all ranks. `plan` is empty if the ranks chose with different knowledge or
// if some rank refuses the vendor's collective.
struct ChosenPlan {
  std::optional<Plan> plan;
  bool vendor_is_refused = false;
};

// Collective: every rank makes its choice, and if they agree, the ranks make the plan together (plan.cpp).
ChosenPlan plan_chosen(Communicator& communicator, const Problem& problem, const PlanOptions& options, const Choose& choose);

// Throws Error{misuse} for options that contradict the problem or each other. `vendor`: the plan will run the vendor's collective.
void check_options(const Problem& problem, const PlanOptions& options, bool vendor);

// Returns the problem, on the communicator's nodes if it names none. Throws Error{misuse} as `check` does, and if the group has a
// different number of ranks.
Problem checked_for(Communicator& communicator, const Problem& asked);

}  // namespace quadrille
