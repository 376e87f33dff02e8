// SPDX-License-Identifier: BSD-3-Clause
// Threads that form a group in the way processes do: each has a heap and a control file of its own, which the others map.
#pragma once

#include <memory>
#include <optional>

#include "execute/shared/meet.hpp"
#include "groups/chooser.hpp"

namespace quadrille::testing {

// Collective over the threads. Returns a communicator through which they share memory as processes.
inline std::unique_ptr<SharedCommunicator> shared_by_processes(Communicator& threads, const std::optional<CopyCosts>& costs = {},
                                                               Progress progress = {}) {
  Met met = meet(threads, {}, costs, std::move(progress), std::make_shared<Process>());
  if (!met.node) throw Error(ErrorCode::environment, met.no_sharing);
  let_choose(*met.node);
  return std::move(met.node);
}

}  // namespace quadrille::testing
