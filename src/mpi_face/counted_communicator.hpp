// SPDX-License-Identifier: BSD-3-Clause
// Where the calls of a communicator are counted, found without a search.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "mpi_face/function.hpp"
#include "mpi_face/recent_call.hpp"
#include "mpi_face/record_layout.hpp"

namespace quadrille::mpi_face {

struct CountedCommunicator {
  // One function and size class. `why` is the address of the reason that `passed` is of.
  struct Entry {
    std::atomic<Counters*> counters{nullptr};
    std::atomic<PassedCalls*> passed{nullptr};
    std::atomic<const char*> why{nullptr};
  };
  using Entries = std::array<Entry, size_classes>;

  std::atomic<int> number{-1};  // of Record; -1: not in it yet
  Rank rank = 0;
  Count ranks = 1;
  std::vector<Rank> world_ranks;  // of the members; empty for an intercommunicator
  std::array<std::atomic<Entries*>, static_cast<std::size_t>(Function::count)> entries{};

  std::unique_ptr<std::array<RecentCall, 8>> observed;  // where all is only observed

  CountedCommunicator() = default;
  CountedCommunicator(const CountedCommunicator&) = delete;
  CountedCommunicator& operator=(const CountedCommunicator&) = delete;
  ~CountedCommunicator() {
    for (auto& each : entries) delete each.load(std::memory_order_relaxed);
  }
};

}  // namespace quadrille::mpi_face
