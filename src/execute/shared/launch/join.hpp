// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "quadrille/execute.hpp"

namespace quadrille {

// shared_world (groups.hpp), but the group makes no plans that choose their algorithm.
std::unique_ptr<Communicator> join_launched();

}  // namespace quadrille
