// SPDX-License-Identifier: BSD-3-Clause
// What a rank that waits in shared memory does for the transport that brought the ranks together.
//
// MPI moves the application's own messages only while their process calls MPI. A rank that polled nothing but shared memory would
// keep such a message from arriving, and whoever waits for the message may be the rank that is waited for. The same holds for
// executions of other plans that this rank has in flight.
#pragma once

#include <sched.h>

#include <atomic>
#include <memory>

#include "execute/in_flight.hpp"

namespace quadrille {

struct Progress {
  // Lets the transport go on, once; null: there is nothing to drive. Returns whether it has given the core away meanwhile. It is
  // the process's own, so that it outlives every communicator.
  bool (*poll)() = nullptr;
  const std::atomic<bool>* ended = nullptr;  // of the process: true after MPI_Finalize; null where there is no MPI

  // As long as a rank never waits, it drives progress once in so many starts of plans.
  static constexpr unsigned starts_without_poll = 64;
  mutable unsigned starts = 0;  // since the last poll

  bool drive() const {
    std::atomic_ref(starts).store(0, std::memory_order_relaxed);
    return poll && poll();
  }
  // Several threads may wait while one starts a plan. If a count gets lost, the poll comes a few starts later.
  void count_start() const {
    const unsigned count = std::atomic_ref(starts).load(std::memory_order_relaxed) + 1;
    std::atomic_ref(starts).store(count, std::memory_order_relaxed);
    if (count >= starts_without_poll) [[unlikely]]
      drive();
  }

  // What this rank has in flight, of the whole communicator: it may have plans for messages, too.
  std::shared_ptr<InFlight> in_flight = std::make_shared<InFlight>();
};

inline void give_core_away(const Progress& progress) {
  if (!progress.drive()) sched_yield();
}

}  // namespace quadrille
