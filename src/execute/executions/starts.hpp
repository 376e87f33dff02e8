// SPDX-License-Identifier: BSD-3-Clause
// Records the plans that a rank has made and the order in which it starts them. All ranks of a group must start plans in the same
// order; otherwise they wait for each other for ever. By comparing these records the library can throw an error instead.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "execute/executions/in_flight.hpp"
#include "execute/process_events.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

class Starts {
 public:
  virtual ~Starts() = default;

  // Numbers a new plan; error sentences name it by `call`. All ranks make plans in the same order, so a number means the same plan
  // on all of them.
  std::uint32_t enlist(std::string call);
  void strike(std::uint32_t plan) { calls_.erase(plan); }  // the plan has been destroyed

  // Records the start of an execution. Throws Error{misuse} after MPI_Finalize, if the ranks are found to start different
  // plans, or in a forked child.
  virtual void begin(std::uint32_t plan) = 0;

  // Returns the open executions of this rank, and the bound on the memory of this group's plans.
  virtual const std::shared_ptr<InFlight>& in_flight() const = 0;

  // May the progress thread advance executions of this group's plans? It may not if they call an MPI library that was initialised
  // for one thread.
  virtual bool may_advance_in_background() const { return true; }

  // Returns the sentence that other ranks throw when this one withdraws an execution of the plan.
  std::string withdrawal_of(std::uint32_t plan) const { return "an execution of " + call_of(plan) + " was withdrawn"; }

  // Are there more ranks than cores? A rank that finds nothing to do then gives its core away.
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
  std::map<std::uint32_t, std::string> calls_;  // by plan: the text of its call; only plans that have not been destroyed
  std::uint32_t last_ = barrier;
  bool shares_cores_ = false;
};

}  // namespace quadrille
