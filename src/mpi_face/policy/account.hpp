// SPDX-License-Identifier: BSD-3-Clause
// What Quadrille spends inside a program: groups, plans, trials and the meetings in which ranks decide on them. Nothing here
// depends on MPI.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

// The account of a process. Its run begins when the account is made.
class Account {
  using Clock = std::chrono::steady_clock;

 public:
  static constexpr double share = 0.02;     // of the run's time so far
  static constexpr double at_first = 0.02;  // seconds that may be spent from the beginning on

  // Both are made when this library is loaded. What the user asks for (QUADRILLE_TUNE) has an account of its own.
  static Account& of_process();
  static Account& of_tuning();

  // How many seconds a run may have spent in all after `elapsed_s`.
  static double allowance(double elapsed_s) { return std::max(at_first, share * elapsed_s); }

  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  double spent_s() const { return spent_s_.load(std::memory_order_relaxed); }
  void spend(double seconds) { spent_s_.fetch_add(seconds, std::memory_order_relaxed); }

 private:
  const Clock::time_point begin_ = Clock::now();
  std::atomic<double> spent_s_{0};
};

// What something costs for each rank that takes part: a guess, until it was measured.
class CostOfRank {
 public:
  explicit constexpr CostOfRank(double guess_s) : seconds_(guess_s) {}
  double of(Count ranks) const { return seconds_.load(std::memory_order_relaxed) * static_cast<double>(ranks); }
  void measured(double seconds, Count ranks) {
    seconds_.store(seconds / static_cast<double>(ranks), std::memory_order_relaxed);
    is_known_.store(true, std::memory_order_relaxed);
  }
  bool is_known() const { return is_known_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> seconds_;
  std::atomic<bool> is_known_{false};
};

// What this process expects to spend on a communicator.
struct ExpectedCosts {
  CostOfRank group{2e-3}, choice{200e-6}, plan{200e-6}, split{20e-6};
  static ExpectedCosts& of_process();
};

}  // namespace quadrille::mpi_face
