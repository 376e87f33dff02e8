// SPDX-License-Identifier: BSD-3-Clause
// The order of starts among ranks that share memory. Each rank writes the numbers of the plans that it starts into lines of its
// own, which costs it two stores; the others look there only when they have waited for long (SharedSpace::wait_until).
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "execute/progress.hpp"
#include "execute/starts.hpp"

namespace quadrille {

// In shared memory: the last starts of a rank.
struct alignas(64) StartRecord {
  static constexpr std::uint64_t kept = 64;
  std::atomic<std::uint64_t> count{0};            // of all starts
  std::atomic<std::uint32_t> stuck{0};            // not 0: whom this rank has waited for, for long (SharedSpace::name_of)
  alignas(64) mutable std::uint32_t plans[kept];  // start n's at [n % kept]; not initialised: groups are made by the ten thousand

  // Both stores release, and first_difference acquires both. A reader that sees the count also sees the plan that it counts. A
  // reader that sees a plan which has replaced an older one also sees the count from before, so it leaves out the older start. With
  // a relaxed store, the reader could see the new plan with an older count, and would compare starts of different numbers.
  void add(std::uint32_t plan) {
    const std::uint64_t number = count.load(std::memory_order_relaxed);  // nobody else writes it
    std::atomic_ref(plans[number % kept]).store(plan, std::memory_order_release);
    count.store(number + 1, std::memory_order_release);
  }
};

// The first start that two ranks do not have in common, among those that both records hold.
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

  // For a rank that is stuck: the first start that differs from another rank's, in words; empty if there is none.
  std::string difference(Rank own, Rank other, const StartRecord& others) const;

 private:
  StartRecord& record_;
  const Progress& progress_;
};

}  // namespace quadrille
