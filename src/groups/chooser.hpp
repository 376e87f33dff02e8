// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quadrille/execute.hpp"

namespace quadrille {

// Lets the group's plans choose their algorithm, by measurements and prices. Before this call, a plan must name its algorithm.
void let_choose(Communicator& group);

}  // namespace quadrille
