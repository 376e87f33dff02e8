// SPDX-License-Identifier: BSD-3-Clause
// Irregular exchange straight from source to target, ordered by the distance between them.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

// Round t holds the messages over distances t * window + 1 .. (t + 1) * window. The cost grows with the number of
// partners of the rank, not with p.
Program exchange_by_distance(const Problem& problem, Count window, Rank me);

}  // namespace quadrille
