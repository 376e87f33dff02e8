// SPDX-License-Identifier: BSD-3-Clause
// What ranks post together under the policies nonblocking and dataflow.
#pragma once

#include <map>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

struct Windows {
  // The numbers of the rounds at which windows begin (schedule/ordering.hpp), in ascending order. If ranks cut their programs
  // differently, these are the fewest cuts that separate all rounds which some rank must separate.
  std::vector<Count> begins;
  std::map<Rank, Program> programs;  // that were made, some 10^5 operations of them, so that they need not be made again
};

// Looks at ranks, spread over all, whose programs have up to about a million operations.
Windows find_windows(const Schedule& schedule);

// Returns the program with each window as one round, with the number of its first one. So schedules in which every rank has the
// same messages in the same order become equal, however they divide them into rounds. It has no local operations.
Program with_rounds_joined(Program program, const std::vector<Count>& begins);

}  // namespace quadrille
