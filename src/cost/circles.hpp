// SPDX-License-Identifier: BSD-3-Clause
// Whether ranks wait for each other in a circle. Where they do, nobody can run ahead into the next operation.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Does a rank wait, through others or not, for a rank that waits for it? The collectives in which every rank's output depends on
// every rank's input are known to; of the others all programs are made.
bool waits_in_circle(const Schedule& schedule);

}  // namespace quadrille
