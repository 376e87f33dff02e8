// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether ranks wait for each other in a cycle. If they do, no rank can run ahead into the next operation.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns true if some rank waits, directly or through others, for a rank that waits for it. This is always so in a collective in
// which every rank's output depends on every rank's input. For other collectives, the programs of all ranks are made.
bool waits_in_cycle(const Schedule& schedule);

}  // namespace quadrille
