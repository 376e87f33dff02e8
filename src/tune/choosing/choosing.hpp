// SPDX-License-Identifier: BSD-3-Clause
// Chooses the algorithms of plans. All ranks must make the same choice, so it depends only on values that are equal on all ranks:
// the problem and the knowledge about the machine (knowledge.hpp), never on layouts, buffers or one rank's counts.
#pragma once

#include <functional>
#include <string>

#include "plan/plan.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// Collective: as `plan`, for options without a named algorithm.
Plan choose_and_plan(Communicator& communicator, const Problem& problem, const PlanOptions& options);

// Collective: rank 0 decides what a plan with these options would run, without making the plan, and calls `tell` with the
// decision. All ranks return the result of `tell`. Only rank 0 decides and reads its knowledge, because both take some
// milliseconds and ranks may share cores. Alltoallv is not allowed. If the effort asks for a race, the ranks share their
// knowledge, and the race takes about `race_s` seconds.
std::string told_decision(Communicator& communicator, const Problem& problem, const PlanOptions& options,
                          const std::function<std::string(const Decision&)>& tell, double race_s = 1);

}  // namespace quadrille
