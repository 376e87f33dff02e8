// SPDX-License-Identifier: BSD-3-Clause
// The sentences that describe the rounds of a schedule (Algorithm::says), as lines for pictures and reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns what the algorithm says of these rounds, which have messages and are in order: "round 0: Every rank sends ..". Neighbours
// with the same sentence share it ("rounds 0 to 6: .."). Rounds of which it says nothing are left out.
std::vector<std::string> sayings(const Schedule& schedule, std::span<const Count> rounds);

}  // namespace quadrille
