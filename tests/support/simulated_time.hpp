// SPDX-License-Identifier: BSD-3-Clause
// Time that passes only as the ranks of a test wait. While an object of this class exists, the threads that the test starts are
// fibres of the thread that joins them (seeds/fibres.hpp), and they run when the first of them is joined. A yield takes 5 us and a
// sleep as long as it was asked to, but none of them takes real time. QUADRILLE_SEED decides which rank goes on when one waits. So
// a test that waits for long is quick and does the same each time. A rank that spins takes real time, and yields in the end; so
// tests with many waits give all ranks one core.
//
// Only waits take time, and a rank goes on until it waits. Therefore no test of the order of memory accesses can use this class;
// seeds/main.cpp and the thread sanitizer are for that. Under sanitizers and emulators the class does nothing: ranks are threads,
// and time is real.
#pragma once

#include <chrono>

#ifdef QUADRILLE_SIMULATED_TIME
#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "seeds/fibres.hpp"
#else
#include <sys/time.h>

#include <csignal>
#endif

namespace quadrille::testing {

#ifdef QUADRILLE_SIMULATED_TIME

class SimulatedTime {
 public:
  explicit SimulatedTime(int cores = 2);  // on which the ranks may run
  ~SimulatedTime();
  SimulatedTime(const SimulatedTime&) = delete;
  SimulatedTime& operator=(const SimulatedTime&) = delete;

  // Signals end each sleep on a futex that takes longer.
  void signal_every(std::chrono::microseconds interval) { longest_sleep_ns_ = std::chrono::nanoseconds(interval).count(); }

  // For the functions of the C library that this class replaces.
  static SimulatedTime* of_caller();  // null if the caller is no rank whose time is simulated
  static SimulatedTime* in_use();
  int cores() const { return cores_; }
  seeds::Fibres& ranks() { return *ranks_; }
  bool add(std::function<void()> body);                                             // returns false if there are too many ranks
  void run();                                                                       // runs all ranks that were added
  int wait_on(volatile std::uint32_t* word, std::uint32_t value, std::int64_t ns);  // returns an errno, or 0 if it was woken
  void wake(volatile std::uint32_t* word);

 private:
  struct Wait {
    volatile std::uint32_t* word = nullptr;
    std::uint32_t value = 0;
  };

  const int cores_;
  const std::uint64_t seed_;
  seeds::Chance chance_;
  std::int64_t longest_sleep_ns_ = 3'600'000'000'000;
  std::unique_ptr<seeds::Fibres> ranks_;
  std::size_t added_ = 0;
  std::array<Wait, seeds::most_ranks> waits_;  // by rank
};

#else

class SimulatedTime {
 public:
  explicit SimulatedTime(int = 2) {}
  ~SimulatedTime() {
    if (!has_signals_) return;
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &before_, nullptr);
  }
  SimulatedTime(const SimulatedTime&) = delete;
  SimulatedTime& operator=(const SimulatedTime&) = delete;

  void signal_every(std::chrono::microseconds interval) {
    struct sigaction ignore {};
    ignore.sa_handler = [](int) {};
    sigaction(SIGALRM, &ignore, &before_);
    const itimerval often{{0, interval.count()}, {0, interval.count()}};
    setitimer(ITIMER_REAL, &often, nullptr);
    has_signals_ = true;
  }

 private:
  bool has_signals_ = false;
  struct sigaction before_ {};
};

#endif

}  // namespace quadrille::testing
