// SPDX-License-Identifier: BSD-3-Clause
// Says whether ranks wait for each other in a cycle. If they do, no rank can run ahead into the next operation.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Does some rank wait, directly or through others, for a rank that waits for it? In collectives in which every rank's
// output depends on every rank's input, it always does. For the others, the programs of all ranks are made.
bool waits_in_cycle(const Schedule& schedule);

}  // namespace quadrille
