// SPDX-License-Identifier: BSD-3-Clause
// Threads that meet as processes do: each with a heap and a control file of its own, which the others map.
#pragma once

#include <memory>
#include <optional>

#include "execute/shared/meet.hpp"

namespace quadrille::testing {

// Collective over the threads.
inline std::unique_ptr<SharedCommunicator> shared_by_processes(Communicator& threads, const std::optional<CopyCosts>& costs = {}) {
  Met met = meet(threads, {}, costs, {}, std::make_shared<Process>());
  if (!met.node) throw Error(ErrorCode::environment, met.no_sharing);
  return std::move(met.node);
}

}  // namespace quadrille::testing
