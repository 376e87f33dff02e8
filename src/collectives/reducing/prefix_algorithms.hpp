// SPDX-License-Identifier: BSD-3-Clause
// The records that scan and exscan have in common. In an exscan the vectors that a rank sends include its own vector,
// but its result does not.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

Algorithm prefix_chain(Collective collective);
Algorithm prefix_hypercube(Collective collective);
Algorithm prefix_doubling(Collective collective);

}  // namespace quadrille
