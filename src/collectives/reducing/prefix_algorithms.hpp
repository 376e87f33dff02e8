// SPDX-License-Identifier: BSD-3-Clause
// The records that scan and exscan have in common. In an exscan a rank's own vector is left out of its result, but not
// out of the vectors that it sends.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

Algorithm prefix_chain(Collective collective);
Algorithm prefix_hypercube(Collective collective);
Algorithm prefix_doubling(Collective collective);

}  // namespace quadrille
