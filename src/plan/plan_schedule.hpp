// SPDX-License-Identifier: BSD-3-Clause
// Planning for those who have made the schedule already.
#pragma once

#include "quadrille/execute.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// Collective, as `plan`: `schedule` takes the place of its problem and of PlanOptions::algorithm. `own_counts`: to make it a rank
// needs to know no more than what it itself sends and receives (Algorithm::needs_own_counts_only).
Plan plan_schedule(Communicator& communicator, const Schedule& schedule, bool own_counts, const PlanOptions& options);

}  // namespace quadrille
