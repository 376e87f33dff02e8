// SPDX-License-Identifier: BSD-3-Clause
// A communicator's pointers to its counters. They save a search in each call that is counted.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "mpi_face/recent_call.hpp"
#include "mpi_face/report/record_layout.hpp"
#include "mpi_face/symbols/function.hpp"

namespace quadrille::mpi_face {

struct CountedCommunicator {
  // The counters of one function and size class. `passed` belongs to the reason whose text is at address `why`.
  struct Entry {
    std::atomic<Counters*> counters{nullptr};
    std::atomic<PassedCalls*> passed{nullptr};
    std::atomic<const char*> why{nullptr};
  };
  using Entries = std::array<Entry, size_classes>;

  std::atomic<int> number{-1};  // index in Record; -1: not in it yet
  Rank rank = 0;
  Count ranks = 1;
  std::vector<Rank> world_ranks;  // the members' ranks in MPI_COMM_WORLD; empty for an intercommunicator
  std::array<std::atomic<Entries*>, static_cast<std::size_t>(Function::count)> entries{};

  std::unique_ptr<std::array<RecentCall, 8>> observed;  // used with QUADRILLE=profile, when calls are only observed

  CountedCommunicator() = default;
  CountedCommunicator(const CountedCommunicator&) = delete;
  CountedCommunicator& operator=(const CountedCommunicator&) = delete;
  ~CountedCommunicator() {
    for (auto& each : entries) delete each.load(std::memory_order_relaxed);
  }
};

}  // namespace quadrille::mpi_face
