// SPDX-License-Identifier: BSD-3-Clause
// The clocks of a group's ranks. Ranks on one machine and in one time namespace read the same clock. Other clocks are compared with
// that of rank 0 by ping-pong, before and after a measurement, and interpolated between the two: offset and drift [hunold2015].
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "execute/mail.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

using Nanoseconds = std::int64_t;

// Names the running system that this process is on, the same for all its processes and for no other's; empty where it is unknown.
std::string boot_id();

// A rank's clock. Ranks of the same source read the same clock; an empty source is this rank's alone.
struct Clock {
  std::string source;
  std::function<Nanoseconds()> now;
};

// CLOCK_MONOTONIC; its source is the running system and the time namespace, which may shift the clock.
Clock monotonic_clock();

// `reference` is the other clock's time at a moment between the two of this rank's clock.
struct PingPong {
  Nanoseconds sent = 0, reference = 0, received = 0;
};

// This rank's clock minus the reference, at the time `at` of this rank's clock; wrong by `bound` at most.
struct ClockOffset {
  Nanoseconds at = 0, offset = 0, bound = 0;
};

// By the ping-pong with the least round trip: half of it is the bound. At least one.
ClockOffset offset_by(std::span<const PingPong> ping_pongs);

// The reference's time where this rank's clock shows `time`. Between the two moments it is wrong by no more than the larger bound
// if both clocks run evenly meanwhile.
Nanoseconds reference_time(Nanoseconds time, const ClockOffset& before, const ClockOffset& after);

class Clocks {
 public:
  // Collective: finds out which ranks read the same clock.
  explicit Clocks(Communicator& communicator, Clock clock = monotonic_clock());

  // Collective: compares the clocks, once before a measurement and once after it. Nothing to do where all ranks read the same.
  void compare();

  Nanoseconds now() const { return clock_.now(); }  // of this rank's clock
  // A time of this rank's clock as the reference's, by the last comparison; for moments right after it.
  Nanoseconds estimated_reference(Nanoseconds time) const;
  // The same for a moment between the last two comparisons.
  Nanoseconds reference(Nanoseconds time) const;
  // The difference of two such moments of any two ranks is wrong by this at most. The same on all ranks.
  Nanoseconds bound() const;

 private:
  ClockOffset ask();
  void answer(Rank asking);

  Communicator& communicator_;
  const Clock clock_;
  ByRank<Rank> first_of_clock_;         // for each rank, the first that reads the same clock
  std::unique_ptr<Mail> mail_;          // where there are several clocks
  ByRank<ClockOffset> before_, after_;  // of each rank
};

}  // namespace quadrille
