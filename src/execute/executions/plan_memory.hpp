// SPDX-License-Identifier: BSD-3-Clause
// Bounds the memory of plans at one rank. Beyond the bound, the least recently used plan of the communicator is evicted: it gives
// its memory back and is made ready again at its next execution. Making ready is collective, so all ranks must evict the same plans
// at the same point. Three rules ensure that:
//
// * The decision uses only values that are equal on all ranks. Time is counted in calls: the executions and makings of the
//   communicator's plans, which all ranks begin in the same order. The size of a plan is its largest size at any rank. The room for
//   the communicator's plans is the smallest room at any rank.
// * Plans are evicted only while a plan is made, or made ready again. While they make a plan, the ranks exchange data anyway, and
//   each rank adds its report to this data.
// * Local events have no effect until they are in a report. For example, an execution may be complete at one rank and still open
//   at another. So no rank evicts a plan that was used since the oldest execution that any rank reports as open. Similarly, a
//   plan may be destroyed at one rank and not yet at another. So a destroyed plan counts until a report says that it is
//   destroyed.
//
// The size of the newest plan is in the next report, so making a plan needs no extra gather for it.
//
// For a rank that is a process the bound covers all its communicators: memory of other communicators' plans reduces the room
// here. Plans of other communicators cannot be evicted here, because all of their ranks would have to take part. A small share of
// the bound is always left to each communicator. Otherwise a communicator might have to make its plans again and again, because
// other communicators hold all memory. So the plans of a rank exceed the bound, for each communicator, by at most this share or
// the size of its newest plan. If ranks are threads, each communicator has a bound of its own, because the library does not know
// which communicators belong to one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

class Execution;

// The report of one rank, or several reports combined.
struct MemoryReport {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  Bytes newest = 0;                // size of the newest plan, reported when the next plan is made; combined: the largest
  Bytes bound = 0;                 // room for the communicator's plans; combined: the smallest
  std::uint64_t in_flight = none;  // the oldest open execution, by the number of its call
  std::uint64_t destroyed = none;  // the oldest plan that is destroyed and still counts

  void add(const MemoryReport& others);
};

// The memory of the plans of all communicators of a rank, in bytes. Accesses are relaxed, because they order no other accesses.
using PlanAccount = std::atomic<Bytes>;

class PlanMemory {
 public:
  static constexpr const char* variable = "QUADRILLE_PLAN_MEMORY";
  static constexpr Bytes usual_bound = Bytes{64} << 20;
  static constexpr Bytes communicators_share = 64;  // each communicator always has 1 / communicators_share of the bound

  // Throws Error{environment} if the variable's value is not a size.
  static Bytes bound_of_environment();
  // Returns the account that all communicators of this process share.
  static PlanAccount& account_of_process();

  // `account`: null if only this communicator's plans count.
  explicit PlanMemory(PlanAccount* account = nullptr) : account_(account) {}
  PlanMemory(const PlanMemory&) = delete;
  PlanMemory& operator=(const PlanMemory&) = delete;

  std::uint64_t next_call() { return ++calls_; }

  // Throws Error{environment} if the variable's value is not a size.
  MemoryReport report();

  // Takes the combined reports of all ranks. Evicts plans until `needed` more bytes fit, or until no plan may be evicted.
  void settle(const MemoryReport& of_all, Bytes needed = 0);

  // Counts a plan that is ready; returns its number. `bytes` must be equal on all ranks, or absent if not yet known.
  std::uint64_t add(Execution& execution, std::optional<Bytes> bytes);

  // Notes that a plan is destroyed. The plan counts until all ranks know.
  void destroyed(std::uint64_t plan);

  // Stops counting a plan. Call this on all ranks at the same point.
  void remove(std::uint64_t plan);

 private:
  struct Entry {
    std::uint64_t plan;       // ascending
    Execution* execution;     // null: the plan is destroyed
    Bytes bytes;              // the plan's largest size at any rank, when the ranks have agreed on it
    Bytes own_bytes;          // the plan's size at this rank, as counted in the account
    std::uint64_t last_call;  // used if the plan is destroyed; until then Execution::last_call is used
  };

  Entry* find(std::uint64_t plan);
  void count(Entry& entry, Bytes own_bytes);
  Bytes left() const;
  std::uint64_t last_call(const Entry& entry) const;

  PlanAccount* const account_;
  Bytes own_bytes_ = 0;  // this communicator's part of the account
  std::uint64_t calls_ = 0;
  std::uint64_t newest_ = 0;    // the plan whose size the ranks have not yet agreed upon; 0: none
  std::vector<Entry> entries_;  // plans that are ready
  std::optional<Bytes> bound_;
};

}  // namespace quadrille
