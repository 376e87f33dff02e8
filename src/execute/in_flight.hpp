// SPDX-License-Identifier: BSD-3-Clause
// The executions of one rank that have begun and are not over, of all plans of one communicator. Any call of this rank that waits
// in the group advances all of them. Otherwise this rank could wait for a rank that waits for one of them. Several threads of the
// rank may do so at a time: each execution has a try-lock, so that one thread at a time advances it; nothing else is locked.
// Usually the list is empty; one load tells.
//
// Those plans also share the memory that they may take (plan_memory.hpp).
#pragma once

#include <atomic>
#include <cstddef>

#include "execute/plan_memory.hpp"

namespace quadrille {

class Execution;

class InFlight {
 public:
  explicit InFlight(PlanAccount* account = nullptr) : plan_memory_(account) {}  // as PlanMemory
  ~InFlight();
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  // Relaxed: it orders nothing. A thread sees its own executions; those of others it may see late.
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }

  // Advances each execution that no other thread advances now. Does not wait, and does not throw: an error is its execution's.
  void advance() {
    if (!is_empty()) advance_all();
  }

  PlanMemory& plan_memory() { return plan_memory_; }

 private:
  friend class Execution;

  // Where an execution is listed. A slot is never freed while the list is in use, so that a thread may look at one whose execution
  // is over. The first free one is taken: executions in flight are found near the front, however many plans there are.
  struct Slot {
    std::atomic<bool> locked{false};
    std::atomic<Execution*> execution{nullptr};  // null: it is free; written with the lock only
    Slot* next = nullptr;

    // Acquires what the last thread that had the lock did with the execution.
    bool try_lock() { return !locked.exchange(true, std::memory_order_acquire); }
    void unlock() { locked.store(false, std::memory_order_release); }
  };

  // There is a slot for each plan, made with it, so that beginning allocates nothing.
  void add_plan();
  void remove_plan() { plans_.fetch_sub(1, std::memory_order_relaxed); }

  Slot& enter(Execution& execution);  // the slot is locked
  void leave(Slot& slot);             // it is locked, and stays so
  void advance_all();

  std::atomic<Slot*> first_{nullptr};
  std::atomic<std::size_t> count_{0}, plans_{0}, slots_{0};
  PlanMemory plan_memory_;
};

}  // namespace quadrille
