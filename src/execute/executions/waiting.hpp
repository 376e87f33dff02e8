// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits. With a core for every rank it spins; after a millisecond it also sleeps, each time for at most 1/16 of the
// time waited so far. With more ranks than cores it yields; if yielding takes long or does not help, the rank sleeps until it is
// woken. In both cases a rank that has waited some microseconds also drives the transport's progress. Most waits are shorter.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "execute/executions/in_flight.hpp"
#include "execute/processor.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

// Progress that a rank drives while it waits in shared memory.
//
// MPI moves the application's own messages only while the process calls MPI. Suppose that this rank waits for another rank in
// shared memory, and that the other rank waits for an MPI message from this one. If this rank polled shared memory alone, the
// message would never move: a deadlock. So a waiting rank also calls MPI. For the same reason a waiting rank also advances its
// other executions in flight.
struct Progress {
  // Drives the transport's progress once. Returns whether it has yielded the core. Null if the transport needs no progress. The
  // function belongs to the process, so it outlives every communicator.
  bool (*poll)() = nullptr;
  bool (*polls_yield)() = nullptr;           // does a poll that finds nothing yield the core? Null: no
  const std::atomic<bool>* ended = nullptr;  // becomes true at MPI_Finalize; null without MPI

  // After this many starts of plans without a poll, the next yield of a wait also polls. Polls of some MPI libraries yield the
  // core, so a poll in place of a yield saves a context switch. A rank that never has to wait polls after twice as many starts.
  static constexpr unsigned starts_without_poll = 64;
  mutable unsigned starts = 0;  // starts since the last poll

  bool drive() const {
    std::atomic_ref(starts).store(0, std::memory_order_relaxed);
    return poll && poll();
  }
  // Several threads may wait while another starts a plan. A lost increment only delays the poll by a few starts.
  void count_start() const {
    const unsigned count = std::atomic_ref(starts).load(std::memory_order_relaxed) + 1;
    std::atomic_ref(starts).store(count, std::memory_order_relaxed);
    if (count >= 2 * starts_without_poll) [[unlikely]]
      drive();
  }
  bool is_poll_due() const { return std::atomic_ref(starts).load(std::memory_order_relaxed) >= starts_without_poll; }

  // The executions that this rank has in flight, including executions of plans that use MPI messages.
  std::shared_ptr<InFlight> in_flight = std::make_shared<InFlight>();
};

inline void give_core_away(const Progress& progress) {
  if (!progress.drive()) sched_yield();
}

// Gives the core away, for a rank that has just driven the transport's progress itself.
inline void give_core_away_after_poll(const Progress& progress) {
  if (!progress.polls_yield || !progress.polls_yield()) sched_yield();
}

inline Count usable_core_count() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

// What a waiting rank does: reads the clock, spins, yields or sleeps. Tests use another class.
struct RealTime {
  using Point = std::chrono::steady_clock::time_point;
  static Point now() { return std::chrono::steady_clock::now(); }
  static void sleep(std::chrono::nanoseconds time) { std::this_thread::sleep_for(time); }
  static void yield() { sched_yield(); }
};

// is_over() returns true once in every `time`. It reads the clock only at every 64th call.
template <class Time>
class LongSinceBy {
 public:
  explicit LongSinceBy(std::chrono::nanoseconds time) : time_(time) {}

  bool is_over() {
    if (++calls_ % calls_between_looks != 0) return false;
    const auto now = Time::now();
    if (calls_ == calls_between_looks) last_ = now;
    if (now - last_ < time_) return false;
    last_ = now;
    return true;
  }

 private:
  static constexpr unsigned calls_between_looks = 64;

  const std::chrono::nanoseconds time_;
  unsigned calls_ = 0;
  typename Time::Point last_{};
};
using LongSince = LongSinceBy<RealTime>;

// Waiting with a core for every rank: spins, then yields, then sleeps briefly. The kernel may still have put two ranks on one
// core for a while; if this rank sleeps, the other rank can run.
template <class Time>
class BackoffBy {
 public:
  explicit BackoffBy(const Progress& progress) : progress_(progress) {}

  // Waits for a moment: spins, yields or sleeps. In a long wait it returns true once in 100 ms, so that the caller checks whether
  // the other rank still runs.
  bool pause() {
    ++pauses_;
    if (pauses_ <= spins) {
      pause_core();
      if (pauses_ % spins_between_polls == 0) progress_.drive();
      return false;
    }
    if (!progress_.drive()) Time::yield();
    return (pauses_ - spins) % yields_between_looks == 0 && look_at_clock();
  }

 private:
  static constexpr int spins = 4000, spins_between_polls = 64, yields_between_looks = 256;
  static constexpr std::chrono::milliseconds short_wait{1}, longest_sleep{1}, between_questions{100};

  bool look_at_clock() {
    const auto now = Time::now();
    if (start_ == typename Time::Point{}) start_ = asked_ = now;
    if (now - start_ < short_wait) return false;
    pauses_ = spins + yields_between_looks - 1;  // makes each further call read the clock after its yield
    Time::sleep(std::min<std::chrono::nanoseconds>((now - start_) / 16, longest_sleep));
    if (now - asked_ < between_questions) return false;
    asked_ = now;
    return true;
  }

  const Progress& progress_;
  int pauses_ = 0;
  typename Time::Point start_{}, asked_{};
};
using Backoff = BackoffBy<RealTime>;

// Waiting with more ranks than cores: yields for up to 1 ms before it sleeps, because waking a rank by a futex costs as much as
// many context switches. If yielding does not hand the core to a rank of this group, it sleeps after only a few yields. This
// happens if the kernel schedules by sessions, or if another program uses the cores.
template <class Time>
class PatienceBy {
 public:
  PatienceBy(bool yields_hand_over, const Progress& progress) : progress_(progress), hands_over_(yields_hand_over) {}

  // Yields once. Returns true if the caller should sleep instead.
  bool is_over() {
    if (over_) {
      progress_.drive();
      return true;
    }
    // A poll may take longer than a yield to another rank and back, so only every fourth yield also polls, and one after many
    // short waits.
    const bool polls = ++yields_ % yields_between_polls == 0 || progress_.is_poll_due();
    if (!polls || !progress_.drive()) Time::yield();
    if (yields_ % yields_between_looks != 0) return false;
    const auto now = Time::now();
    if (yields_ == yields_between_looks) start_ = now;
    return over_ = !hands_over_ || now - start_ > long_wait;
  }

 private:
  static constexpr int yields_between_polls = 4, yields_between_looks = 16;
  static constexpr std::chrono::milliseconds long_wait{1};

  const Progress& progress_;
  const bool hands_over_;
  bool over_ = false;
  int yields_ = 0;
  typename Time::Point start_{};
};
using Patience = PatienceBy<RealTime>;

}  // namespace quadrille
