// SPDX-License-Identifier: BSD-3-Clause
// The executions of one rank: the list of open executions, and the order in which executions were started. Every call that waits
// advances all of them. Otherwise this rank could wait for a rank that itself waits for one of these executions: a deadlock.
// Several threads may advance the list at the same time: each execution has a try-lock, so one thread at a time advances it.
// There is no other lock. Usually the list is empty, which one load shows.
//
// A rank that is a process has one list for all its communicators. A rank that is a thread has one per communicator.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "execute/executions/plan_memory.hpp"
#include "execute/process_events.hpp"
#include "foundation/planted.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

class Execution;

class FlightList {
 public:
  FlightList() = default;
  ~FlightList();
  FlightList(const FlightList&) = delete;
  FlightList& operator=(const FlightList&) = delete;

  static const std::shared_ptr<FlightList>& of_process();

  // A relaxed load: a thread sees its own executions at once, but may see the executions of other threads later.
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }

  // Advances each execution that no other thread is advancing. Does not wait and does not throw: errors stay with their executions.
  void advance() {
    if (!is_empty() && !is_planted("others not advanced")) advance_all(false);
  }

  // `advance` for the progress thread. Skips executions that only the program's own calls may advance.
  void advance_in_background() {
    if (!is_empty()) advance_all(true);
  }

  // A place in the list. Slots are never freed while the list is in use, so a thread may read a slot whose execution has ended. An
  // execution takes the first free slot, so open executions are near the front, however many plans there are.
  struct Slot {
    std::atomic<bool> locked{false};
    std::atomic<Execution*> execution{nullptr};  // null: the slot is free; written with the lock held
    Slot* next = nullptr;

    // Acquires what the last owner of the lock did with the execution.
    bool try_lock() { return !locked.exchange(true, std::memory_order_acquire); }
    void unlock() { locked.store(false, std::memory_order_release); }
  };

  // Making a plan adds a slot, so that starting an execution allocates nothing.
  void add_plan();
  void remove_plan() { plans_.fetch_sub(1, std::memory_order_relaxed); }

  Slot& enter(Execution& execution);  // returns a locked slot
  void leave(Slot& slot);             // the slot must be locked, and stays locked

 private:
  void advance_all(bool in_background);

  std::atomic<Slot*> first_{nullptr};
  std::atomic<std::size_t> count_{0}, plans_{0}, slots_{0};
};

// What the plans of one communicator share at one rank: the list of open executions, and the bound on memory.
class InFlight {
 public:
  InFlight() : list_(std::make_shared<FlightList>()) {}  // for a rank that is a thread
  InFlight(std::shared_ptr<FlightList> list, PlanAccount& account) : list_(std::move(list)), plan_memory_(&account) {}
  static std::shared_ptr<InFlight> of_process();  // for a rank that is this process
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

// A thread that advances open executions while the program computes. QUADRILLE_PROGRESS=thread enables the thread. By default
// there is no such thread, because it would take core time from the program.
class ProgressThread {
 public:
  static constexpr const char* variable = "QUADRILLE_PROGRESS";

  // Does the environment enable the thread? Throws Error{environment} if the value of the variable is unknown.
  static bool is_asked();

  // Called after a start. If the thread is enabled, the thread advances this list until the list is empty.
  static void wake(const std::shared_ptr<FlightList>& list) {
    if (is_asked()) [[unlikely]]
      of_process().serve(list);
  }

 private:
  ProgressThread();
  static ProgressThread& of_process();
  void serve(const std::shared_ptr<FlightList>& list);
  void run();

  std::mutex mutex_;
  std::condition_variable work_;
  std::vector<std::shared_ptr<FlightList>> lists_;  // the lists with open executions
};

// Records the plans that a rank has made and the order in which it starts them. All ranks of a group must start plans in the same
// order; otherwise they wait for each other for ever. By comparing these records the library can throw an error instead.
class Starts {
 public:
  virtual ~Starts() = default;

  // Numbers a new plan; error sentences name it by `call`. All ranks make plans in the same order, so equal numbers mean the same
  // plan.
  std::uint32_t enlist(std::string call);
  void strike(std::uint32_t plan) { calls_.erase(plan); }  // the plan has been destroyed

  // Records the start of an execution. Throws Error{misuse} after MPI_Finalize, in a forked child, and if it finds that the ranks
  // start different plans.
  virtual void begin(std::uint32_t plan) = 0;

  // Returns the open executions of this rank, and the bound on the memory of this group's plans.
  virtual const std::shared_ptr<InFlight>& in_flight() const = 0;

  // May the progress thread advance executions of this group's plans? The thread may not if the plans call an MPI library that
  // was initialised for a single thread.
  virtual bool may_advance_in_background() const { return true; }

  // Returns the sentence that other ranks throw when this rank withdraws an execution of the plan.
  std::string withdrawal_of(std::uint32_t plan) const { return "an execution of " + call_of(plan) + " was withdrawn"; }

  // Sets whether there are more ranks than cores. If there are, a rank that finds nothing to do gives its core away.
  void set_shares_cores(bool shares) { shares_cores_ = shares; }
  bool shares_cores() const { return shares_cores_; }

  // Called by a rank that waits: drives the transport's progress once (waiting.hpp) and yields the core.
  virtual void give_core_away() const = 0;

 protected:
  // The number that stands for a barrier in the order of starts.
  static constexpr std::uint32_t barrier = 0;

  // "plan 3 (alltoall/direct)"
  std::string call_of(std::uint32_t plan) const;

  // Throws Error{misuse} in a forked child, because the group belongs to the parent.
  void check_not_forked() const {
    if (mark_.is_in_child()) throw_forked();
  }

  [[noreturn]] static void throw_ended();

 private:
  [[noreturn]] static void throw_forked();

  const ForkMark mark_;
  std::map<std::uint32_t, std::string> calls_;  // by number of a plan that is not destroyed: the text of its call
  std::uint32_t last_ = barrier;
  bool shares_cores_ = false;
};

}  // namespace quadrille
