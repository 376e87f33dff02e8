// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a group can run plans by.
#pragma once

#include <vector>

#include "execute/transport.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// By the memory that they share, if there is any, and by what else their transport has; the one that is preferred first. Local,
// and the same on all ranks.
inline std::vector<Executor> executors_of(Communicator& communicator) {
  Transport& own = communicator.transport();
  const Result<Transport*> sharing = own.over_shared_memory();
  if (!sharing || (*sharing)->executor() == own.executor()) return {own.executor()};
  return {(*sharing)->executor(), own.executor()};
}

}  // namespace quadrille
