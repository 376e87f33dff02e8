// SPDX-License-Identifier: BSD-3-Clause
// What ranks post together under the policies nonblocking and dataflow.
#pragma once

#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the numbers of the rounds at which windows begin (schedule/ordering.hpp), in ascending order. If ranks cut their
// programs differently, returns the fewest cuts that separate all rounds which some rank must separate. In large schedules only
// some ranks, spread over all ranks, are examined, up to about a million operations.
std::vector<Count> window_begins(const Schedule& schedule);

// Returns the schedule without local operations, and with the rounds of each window joined into one round, which has the number
// of the first of them. So schedules in which every rank has the same messages in the same order become equal, even if they
// divide the messages into rounds differently.
Schedule with_windows_as_rounds(const Schedule& schedule, std::vector<Count> begins);

}  // namespace quadrille
