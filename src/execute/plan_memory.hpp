// SPDX-License-Identifier: BSD-3-Clause
// A bound on the memory that the plans of a communicator take at one rank. Beyond it the plan that was used least recently gives
// its memory back (it is evicted), and is made ready again at its next execution. Making ready is collective, so all ranks must
// evict the same plans at the same point. Three things make sure of that:
//
// * What decides is the same on all ranks. Use is measured by calls: the executions and makings of the communicator, which all
// ranks
//   begin in one order. What a plan takes is the most that it takes at any rank.
// * Plans are evicted only when one is made, or made ready again. The ranks gather something then anyway, and each adds a report.
// * What ranks do in an order of their own has no effect before it is in a report. An execution in parts may be over at one rank
// and
//   in flight at another: no rank evicts a plan that was used since the oldest execution began that any rank reports to be in
//   flight. A plan may be destroyed at one rank and not yet at another: it counts until a rank reports it.
//
// How much the plan made last takes is in the next report, so that making a plan needs no further gather for it. Hence the plans of
// a rank take at most the bound and what the last one takes. A plan with headers counts with what it has come to take when the next
// plan is made; what its messages make it take later does not count.
#pragma once

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
  Bytes newest = 0;                // what the plan made last takes; the most of all ranks
  Bytes bound = 0;                 // the least of all ranks: launchers may give the variable to some only
  std::uint64_t in_flight = none;  // the first call that is in flight
  std::uint64_t destroyed = none;  // the first plan that is destroyed and still counts

  void add(const MemoryReport& others);
};

class PlanMemory {
 public:
  static constexpr const char* variable = "QUADRILLE_PLAN_MEMORY";
  static constexpr Bytes usual_bound = Bytes{64} << 20;

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

  // It counts no more. All ranks call it.
  void remove(std::uint64_t plan);

 private:
  struct Entry {
    std::uint64_t plan;    // ascending
    Execution* execution;  // null: it is destroyed
    Bytes bytes;
    std::uint64_t last_call;  // of a destroyed one; the execution knows its own
  };

  Entry* find(std::uint64_t plan);
  std::uint64_t last_call(const Entry& entry) const;

  std::uint64_t calls_ = 0;
  std::uint64_t newest_ = 0;    // the plan of which the ranks have not agreed what it takes; 0: none
  std::vector<Entry> entries_;  // of plans that are ready
  std::optional<Bytes> bound_;
};

}  // namespace quadrille
