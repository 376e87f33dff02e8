// SPDX-License-Identifier: BSD-3-Clause
// Book of the plans that a rank has made and of the order in which it starts them. Plans are collective: all ranks of a group must
// start them in the same order, or they wait for each other for ever. Who keeps this book can say so instead.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "execute/fork_mark.hpp"
#include "execute/in_flight.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

class Starts {
 public:
  virtual ~Starts() = default;

  // Of a new plan, its number; `call` is what sentences call it. All ranks make plans in the same order, so a number means the
  // same plan to all of them.
  std::uint32_t enlist(std::string call);
  void strike(std::uint32_t plan) { calls_.erase(plan); }  // it is gone

  // Before each execution. Throws Error{misuse} if the group's transport has been shut down, or if the ranks are seen to start
  // different plans; or in a forked child.
  virtual void begin(std::uint32_t plan) = 0;

  // What this rank has in flight of the group's plans.
  virtual const std::shared_ptr<InFlight>& in_flight() const = 0;

  // May the progress thread advance executions of this group's plans? Not where they call an MPI library that serves one thread.
  virtual bool may_advance_in_background() const { return true; }

  // What the other ranks are told when this one withdraws an execution of the plan.
  std::string withdrawal_of(std::uint32_t plan) const { return "an execution of " + call_of(plan) + " was withdrawn"; }

  // For a rank that waits: drives the transport's progress once (progress.hpp), and lets another rank have the core.
  virtual void give_core_away() const = 0;

 protected:
  // A barrier of the group, on its own or as a part of making a plan, has its place in the order, too.
  static constexpr std::uint32_t barrier = 0;

  // "plan 3 (alltoall/direct)"
  std::string call_of(std::uint32_t plan) const;

  // In a forked child, whose group is its parent's.
  void check_not_forked() const {
    if (mark_.is_in_child()) throw_forked();
  }

  [[noreturn]] static void throw_ended();

 private:
  [[noreturn]] static void throw_forked();

  const ForkMark mark_;
  std::map<std::uint32_t, std::string> calls_;  // of the plans that there are
  std::uint32_t last_ = barrier;
};

}  // namespace quadrille
