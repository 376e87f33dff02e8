// SPDX-License-Identifier: BSD-3-Clause
// Measures how long the ranks of a group take together, from the earliest start to the latest end, by the clocks of the ranks.
// Ranks on one machine and in one time namespace read the same clock. Each other clock is compared with rank 0's clock by
// ping-pongs before and after a measurement. Offsets in between are interpolated, which accounts for drift [hunold2015].
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

using Nanoseconds = std::int64_t;

// A rank's clock. Ranks whose clocks have the same source read the same clock. An empty source means that only this rank reads
// the clock.
struct Clock {
  std::string source;
  std::function<Nanoseconds()> now;
};

// CLOCK_MONOTONIC. The source names the boot of the system and the time namespace, because a namespace may shift the clock.
Clock monotonic_clock();

// One ping-pong: the times of this rank's clock when this rank sent and when it received, and the time of the other rank's clock
// in between.
struct PingPong {
  Nanoseconds sent = 0, reference = 0, received = 0;
};

// The difference of this rank's clock and the reference clock when this rank's clock shows `at`. Its error is at most `bound`.
struct ClockOffset {
  Nanoseconds at = 0, offset = 0, bound = 0;
};

// Uses the ping-pong with the shortest round trip. The bound is half of that round trip. At least one ping-pong is needed.
ClockOffset offset_by(std::span<const PingPong> ping_pongs);

// Returns the reference clock's time when this rank's clock shows `time`. For times between the two comparisons, the error is at
// most the larger of their bounds if both clocks run at constant speed.
Nanoseconds reference_time(Nanoseconds time, const ClockOffset& before, const ClockOffset& after);

class Clocks {
 public:
  // Collective: finds out which ranks read the same clock.
  explicit Clocks(Communicator& communicator, Clock clock = monotonic_clock());

  // Collective: compares the clocks. Call it once before and once after a measurement. Does nothing if all ranks read one clock.
  void compare();

  Nanoseconds now() const { return clock_.now(); }
  Rank first_of_clock() const;  // the first rank that reads this rank's clock
  // Converts a time of this rank's clock to the reference clock, by the last comparison only. For times
  // shortly after that comparison.
  Nanoseconds estimated_reference(Nanoseconds time) const;
  // Converts a time between the last two comparisons.
  Nanoseconds reference(Nanoseconds time) const;
  // Returns a bound on the error of the difference between two converted times of any ranks. Equal on all ranks.
  Nanoseconds bound() const;

 private:
  ClockOffset ask();
  void answer(Rank asking);
  void send(Rank to, const Nanoseconds& time);
  void receive(Rank from, Nanoseconds& time);

  Communicator& communicator_;
  const Clock clock_;
  ByRank<Rank> first_of_clock_;           // for each rank, the first rank that reads the same clock
  std::unique_ptr<Exchanger> exchanger_;  // null if all ranks read one clock
  ByRank<ClockOffset> before_, after_;    // by rank
};

// Allocates whole pages, in the process's private memory or, if `shared`, in memory that the ranks share. Throws Error{too_large}.
std::shared_ptr<std::byte> buffer(Communicator& communicator, Bytes bytes, bool shared);

// A duration across ranks. Its error is at most `bound`, which is 0 if all ranks read one clock.
struct Span {
  double seconds = 0, bound = 0;
  double least = 0, mean = 0, most = 0;  // statistics of the ranks' own durations, each from the rank's start to its end
};

class Stopwatch {
 public:
  explicit Stopwatch(Communicator& communicator, Clock clock = monotonic_clock());  // collective

  // Collective: calls run(0), run(1), ... run(count - 1) on every rank. All ranks start each call at the same time, unless a rank
  // is late. If `prepare` is given, each rank calls prepare(i) before run(i), outside of the timed span. The result is equal on
  // all ranks.
  std::vector<Span> time(std::size_t count, const std::function<void(std::size_t)>& run,
                         const std::function<void(std::size_t)>& prepare = {});

 private:
  void start_together();

  Communicator& communicator_;
  Clocks clocks_;
  bool crowded_ = false;      // true if there are more ranks than cores
  Nanoseconds lateness_ = 0;  // how late this rank learned of the previous start
};

}  // namespace quadrille
