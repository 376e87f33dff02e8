// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quadrille/execute.hpp"

namespace quadrille {

// Lets the group's plans choose their algorithm, by measurements and prices. Until then only plans that name it can be made.
void let_choose(Communicator& group);

}  // namespace quadrille
