// SPDX-License-Identifier: BSD-3-Clause
// A family's schedule for a group of ranks.
#pragma once

#include "quadrille/execute.hpp"
#include "quadrille/family.hpp"

namespace quadrille {

// Collective: all ranks pass copies of one family and the same problem. Each rank, or rank 0 alone, makes the schedule
// (Family::made_by). Returns it on all ranks, or on all ranks the reason of the first rank for which the family has none. Throws on
// every rank what a rank throws, and Error{too_large} if rank 0 would make a schedule for more than most_ranks_of_first.
Result<Schedule> schedule_of(Communicator& communicator, const Family& family, const Problem& problem);

}  // namespace quadrille
