// SPDX-License-Identifier: BSD-3-Clause
// Plans a schedule that the caller has already made.
#pragma once

#include "quadrille/execute.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// Collective, as `plan`: `schedule` takes the place of its problem and of PlanOptions::algorithm. `own_counts`: a rank makes it
// from what the rank itself sends and receives (Algorithm::needs_own_counts_only).
Plan plan_schedule(Communicator& communicator, const Schedule& schedule, bool own_counts, const PlanOptions& options);

}  // namespace quadrille
