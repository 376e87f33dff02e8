// SPDX-License-Identifier: BSD-3-Clause
// Plans a schedule that the caller has made, without verifying it.
#pragma once

#include "quadrille/execute.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// Collective, like `plan`, with `schedule` instead of a problem and PlanOptions::algorithm. `own_counts`: each rank makes the
// schedule from only what it sends and receives itself (Algorithm::needs_own_counts_only).
Plan plan_schedule(Communicator& communicator, const Schedule& schedule, bool own_counts, const PlanOptions& options);

}  // namespace quadrille
