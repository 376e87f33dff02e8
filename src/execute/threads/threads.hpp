// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "execute/shared/wait/space.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

// As run_threads (groups.hpp), but the groups make no plans that choose their algorithm.
void run_as_threads(Count ranks, const std::function<void(Communicator&)>& body);

// The spaces of a new group, by rank. Each rank uses its own.
ByRank<std::shared_ptr<SharedSpace>> spaces_of_threads(Count ranks);

}  // namespace quadrille
