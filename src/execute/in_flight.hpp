// SPDX-License-Identifier: BSD-3-Clause
// The executions of one rank that have begun and are not over. Every call that waits advances all of them: otherwise this rank
// could wait for a rank that waits for one of them. Several threads of the rank may do so at a time: each execution has a try-lock,
// so that one thread at a time advances it; nothing else is locked. Usually the list is empty; one load tells.
//
// A rank that is a process has one list for all of its communicators. Ranks that are threads have one for each communicator.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "execute/plan_memory.hpp"

namespace quadrille {

class Execution;

class FlightList {
 public:
  FlightList() = default;
  ~FlightList();
  FlightList(const FlightList&) = delete;
  FlightList& operator=(const FlightList&) = delete;

  static const std::shared_ptr<FlightList>& of_process();

  // Relaxed: it orders nothing. A thread sees its own executions; those of others it may see late.
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }

  // Advances each execution that no other thread advances now. Does not wait, and does not throw: an error is its execution's.
  void advance() {
    if (!is_empty()) advance_all(false);
  }

  // The same for the thread of progress_thread.hpp, which leaves out what it must not touch.
  void advance_in_background() {
    if (!is_empty()) advance_all(true);
  }

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

 private:
  void advance_all(bool in_background);

  std::atomic<Slot*> first_{nullptr};
  std::atomic<std::size_t> count_{0}, plans_{0}, slots_{0};
};

// What the plans of one communicator have in common at one rank: the list of what is in flight, and the memory that they may take.
class InFlight {
 public:
  InFlight() : list_(std::make_shared<FlightList>()) {}  // of a rank that is a thread
  InFlight(std::shared_ptr<FlightList> list, PlanAccount& account) : list_(std::move(list)), plan_memory_(&account) {}
  static std::shared_ptr<InFlight> of_process();  // of a rank that is this process
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  bool is_empty() const { return list_->is_empty(); }
  void advance() { list_->advance(); }
  const std::shared_ptr<FlightList>& list() const { return list_; }

  PlanMemory& plan_memory() { return plan_memory_; }

 private:
  const std::shared_ptr<FlightList> list_;
  PlanMemory plan_memory_;
};

}  // namespace quadrille
