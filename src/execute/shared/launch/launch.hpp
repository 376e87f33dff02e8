// SPDX-License-Identifier: BSD-3-Clause
// How a process that `quadrille run` has started joins its group. quadrille/transports.hpp declares run_ranks, which starts them.
#pragma once

#include <memory>

#include "quadrille/execute.hpp"

namespace quadrille {

// The environment variables by which `quadrille run` tells the processes that it starts their rank and group.
inline constexpr const char* rank_variable = "QUADRILLE_RANK";
inline constexpr const char* ranks_variable = "QUADRILLE_RANKS";
inline constexpr const char* head_variable =
    "QUADRILLE_HEAD";  // number of the descriptor of the group's head file (group_space.hpp)

// As shared_world (groups.hpp), but the group makes no plans that choose their algorithm.
std::unique_ptr<Communicator> join_launched();

}  // namespace quadrille
