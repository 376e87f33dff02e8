// SPDX-License-Identifier: BSD-3-Clause
// Plans a schedule that the caller has made, without verifying it.
#pragma once

#include <memory>

#include "quadrille/execute.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

struct Script;

// Collective. Makes a plan like `plan`, but for `schedule` instead of a problem and PlanOptions::algorithm. `own_counts` is true if
// each rank makes the schedule from only the counts that it sends and receives itself (Algorithm::needs_own_counts_only).
Plan plan_schedule(Communicator& communicator, const Schedule& schedule, bool own_counts, const PlanOptions& options);

// A plan whose executions write their times to `script->record` (execution_record.hpp).
struct ObservedPlan {
  Plan plan;
  std::shared_ptr<const Script> script;
};

// Collective: makes an observed plan, as plan_schedule.
ObservedPlan observed_plan(Communicator& communicator, const Schedule& schedule, bool own_counts, const PlanOptions& options);

}  // namespace quadrille
