// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchange straight from source to target, in the order of the distance from the one to the other.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

// Round t holds the messages over distances t * window + 1 .. (t + 1) * window. At a cost of the rank's partners, not of p.
Program exchange_by_distance(const Problem& problem, Count window, Rank me);

}  // namespace quadrille
