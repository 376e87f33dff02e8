// SPDX-License-Identifier: BSD-3-Clause
// Progress that a rank drives while it waits in shared memory.
//
// MPI moves the application's own messages only while the process calls MPI. Suppose that this rank waits for another rank
// in shared memory, and that the other rank waits for an MPI message from this one. If this rank polled shared memory
// alone, the message would never move: a deadlock. So a waiting rank also calls MPI. For the same reason it also advances
// its other executions in flight.
#pragma once

#include <sched.h>

#include <atomic>
#include <memory>

#include "execute/executions/in_flight.hpp"

namespace quadrille {

struct Progress {
  // Drives the transport's progress once. Returns whether it has yielded the core. Null if the transport needs no progress. The
  // function belongs to the process, so it outlives every communicator.
  bool (*poll)() = nullptr;
  bool (*polls_yield)() = nullptr;           // does such a poll yield the core if it finds nothing? Null: no
  const std::atomic<bool>* ended = nullptr;  // becomes true at MPI_Finalize; null without MPI

  // A rank that never has to wait drives progress once in so many starts of plans.
  static constexpr unsigned starts_without_poll = 64;
  mutable unsigned starts = 0;  // since the last poll

  bool drive() const {
    std::atomic_ref(starts).store(0, std::memory_order_relaxed);
    return poll && poll();
  }
  // Several threads may wait while another starts a plan. A lost increment only delays the poll by a few starts.
  void count_start() const {
    const unsigned count = std::atomic_ref(starts).load(std::memory_order_relaxed) + 1;
    std::atomic_ref(starts).store(count, std::memory_order_relaxed);
    if (count >= starts_without_poll) [[unlikely]]
      drive();
  }

  // All executions that this rank has in flight, including those of plans that use MPI messages.
  std::shared_ptr<InFlight> in_flight = std::make_shared<InFlight>();
};

inline void give_core_away(const Progress& progress) {
  if (!progress.drive()) sched_yield();
}

// The same for a rank that has just driven the transport's progress itself.
inline void give_core_away_after_poll(const Progress& progress) {
  if (!progress.polls_yield || !progress.polls_yield()) sched_yield();
}

}  // namespace quadrille
