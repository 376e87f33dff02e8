// SPDX-License-Identifier: BSD-3-Clause
// A bound on the memory that plans take at one rank. Beyond it the plan of the communicator that was used least recently gives its
// memory back (it is evicted), and is made ready again at its next execution. Making ready is collective, so all ranks must evict
// the same plans at the same point. Three things make sure of that:
//
// * What decides is the same on all ranks. Use is measured by calls: the executions and makings of the communicator, which all
//   ranks begin in one order. What a plan takes is the most that it takes at any rank. What the communicator's plans may take is
//   the least that is left for them at any rank.
// * Plans are evicted only when one is made, or made ready again. The ranks gather something then anyway, and each adds a report.
// * What ranks do in an order of their own has no effect before it is in a report. An execution in parts may be over at one rank
//   and in flight at another: no rank evicts a plan that was used since the oldest execution began that any rank reports to be in
//   flight. A plan may be destroyed at one rank and not yet at another: it counts until a rank reports it.
//
// How much the plan made last takes is in the next report, so that making a plan needs no further gather for it. A plan with
// headers counts with what it has come to take when the next plan is made; what its messages make it take later does not count.
//
// The bound is for all communicators of a rank that is a process: what its other communicators' plans take is not left for this
// one's. Their plans cannot be evicted here, because that is up to their ranks. So that a communicator does not have to make its
// plans again and again because others hold everything, a small share is always left for it. Hence the plans of a rank take at most
// the bound, and for each communicator that share or what its last plan takes. Ranks that are threads of one process each have the
// bound for each communicator: nothing tells which communicators belong to one such rank.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

class Execution;

// Of one rank, or of several, combined.
struct MemoryReport {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  Bytes newest = 0;  // what the plan made last takes: it is told one plan later, which saves a gather; the most of all
  Bytes bound = 0;   // what the communicator's plans may take; the least of all ranks
  std::uint64_t in_flight = none;  // the first call that is in flight
  std::uint64_t destroyed = none;  // the first plan that is destroyed and still counts

  void add(const MemoryReport& others);
};

// What the plans of all communicators of a rank take. Relaxed: it orders nothing.
using PlanAccount = std::atomic<Bytes>;

class PlanMemory {
 public:
  static constexpr const char* variable = "QUADRILLE_PLAN_MEMORY";
  static constexpr Bytes usual_bound = Bytes{64} << 20;
  static constexpr Bytes communicators_share = 64;  // this part of the bound is always left for a communicator

  // Throws Error{environment} if the variable holds no size.
  static Bytes bound_of_environment();
  // Of a rank that is this process.
  static PlanAccount& account_of_process();

  // `account`: null where the communicator's plans alone count.
  explicit PlanMemory(PlanAccount* account = nullptr) : account_(account) {}
  PlanMemory(const PlanMemory&) = delete;
  PlanMemory& operator=(const PlanMemory&) = delete;

  // The number of the next call.
  std::uint64_t next_call() { return ++calls_; }

  // Throws Error{environment} if the variable holds no size.
  MemoryReport report();

  // With the reports of all ranks, combined: evicts until `needed` bytes more fit, or no plan is left that may be evicted.
  void settle(const MemoryReport& of_all, Bytes needed = 0);

  // Counts a plan that is ready; returns what `remove` wants. Its `bytes` are the same on all ranks, or not known yet.
  std::uint64_t add(Execution& execution, std::optional<Bytes> bytes);

  // It is destroyed. It counts until all ranks know.
  void destroyed(std::uint64_t plan);

  // Takes a plan out of the account. Call it on all ranks at the same point.
  void remove(std::uint64_t plan);

 private:
  struct Entry {
    std::uint64_t plan;       // ascending
    Execution* execution;     // null: it is destroyed
    Bytes bytes;              // the most that it takes at any rank, once the ranks have agreed
    Bytes own_bytes;          // that it takes here, as it is in the account
    std::uint64_t last_call;  // of a destroyed one; the execution knows its own
  };

  Entry* find(std::uint64_t plan);
  void count(Entry& entry, Bytes own_bytes);
  Bytes left() const;
  std::uint64_t last_call(const Entry& entry) const;

  PlanAccount* const account_;
  Bytes own_bytes_ = 0;  // of the account: this communicator's
  std::uint64_t calls_ = 0;
  std::uint64_t newest_ = 0;    // the plan of which the ranks have not agreed what it takes; 0: none
  std::vector<Entry> entries_;  // of plans that are ready
  std::optional<Bytes> bound_;
};

}  // namespace quadrille
