// SPDX-License-Identifier: BSD-3-Clause
// What ranks post together under the policies nonblocking and dataflow.
#pragma once

#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the numbers of the rounds at which windows begin (schedule/ordering.hpp), in ascending order. If ranks cut their programs
// differently, these are the fewest cuts that separate all rounds which some rank must separate. Looks at ranks, spread over all,
// whose programs have up to about a million operations.
std::vector<Count> window_begins(const Schedule& schedule);

// Returns the schedule with each window as one round, with the number of its first one. So schedules in which every rank has the
// same messages in the same order become equal, however they divide them into rounds. It has no local operations.
Schedule with_windows_as_rounds(const Schedule& schedule, std::vector<Count> begins);

}  // namespace quadrille
