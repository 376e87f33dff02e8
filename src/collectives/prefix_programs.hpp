// SPDX-License-Identifier: BSD-3-Clause
// The records that scan and exscan share: an exscan leaves the own vector out of its result, not out of what it tells.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

Algorithm prefix_chain(Collective collective);
Algorithm prefix_hypercube(Collective collective);
Algorithm prefix_doubling(Collective collective);

}  // namespace quadrille
