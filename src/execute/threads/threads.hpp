// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "quadrille/execute.hpp"

namespace quadrille {

// run_threads (groups.hpp), but the groups make no plans that choose their algorithm.
void run_as_threads(Count ranks, const std::function<void(Communicator&)>& body);

}  // namespace quadrille
