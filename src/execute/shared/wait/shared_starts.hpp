// SPDX-License-Identifier: BSD-3-Clause
// Checks the order in which ranks that share memory start plans. Each rank writes the number of each plan that it starts into cache
// lines of its own, at the cost of two stores. Other ranks read them only after they have waited for long
// (SharedSpace::wait_until).
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "execute/executions/progress.hpp"
#include "execute/executions/starts.hpp"

namespace quadrille {

// The last starts of one rank, in shared memory.
struct alignas(64) StartRecord {
  static constexpr std::uint64_t kept = 64;
  std::atomic<std::uint64_t> count{0};  // how many plans this rank has started
  std::atomic<std::uint32_t> stuck{0};  // not 0: the owner has waited long, for this rank (SharedSpace::name_of)
  alignas(64) mutable std::uint32_t
      plans[kept];  // start n is at [n % kept]; not initialised, because programs make thousands of groups

  // Both stores release, and first_difference acquires both. A reader that sees a count also sees the plans that it counts.
  // Start n replaces start n - kept. A reader that sees the new entry also sees a count of at least n, so it knows that the
  // old start is gone. If the entry were stored relaxed, the reader could see it with an older count, and would compare
  // starts of different numbers.
  void add(std::uint32_t plan) {
    const std::uint64_t number = count.load(std::memory_order_relaxed);  // nobody else writes it
    std::atomic_ref(plans[number % kept]).store(plan, std::memory_order_release);
    count.store(number + 1, std::memory_order_release);
  }
};

// The first start in which two ranks differ, among the starts that both records still hold.
struct DifferentStart {
  std::uint64_t number;  // from 0
  std::uint32_t mine, theirs;
};
std::optional<DifferentStart> first_difference(const StartRecord& mine, const StartRecord& theirs);

class SharedStarts final : public Starts {
 public:
  SharedStarts(StartRecord& record, const Progress& progress) : record_(record), progress_(progress) {}

  void begin(std::uint32_t plan) override {
    if (progress_.ended && progress_.ended->load(std::memory_order_relaxed)) throw_ended();
    check_not_forked();
    progress_.count_start();
    record_.add(plan);
  }
  const std::shared_ptr<InFlight>& in_flight() const override { return progress_.in_flight; }
  void give_core_away() const override { quadrille::give_core_away(progress_); }
  void begin_barrier() {
    check_not_forked();
    record_.add(barrier);
  }

  // Returns a sentence on the first start in which this rank (`own`) differs from `other`, or "" if there is none. A rank that is
  // stuck calls it.
  std::string difference(Rank own, Rank other, const StartRecord& others) const;

 private:
  StartRecord& record_;
  const Progress& progress_;
};

}  // namespace quadrille
