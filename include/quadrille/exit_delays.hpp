// SPDX-License-Identifier: BSD-3-Clause
// When ranks leave a collective, if they enter it at different times. A rank leaves when the last of the ranks for which it waits,
// directly or through others, has entered, plus what then remains to be done:
//
//   exit[i] = max over j of (entry[j] + delay(i, j))
//
// This is exact for a schedule whose messages are sent through one port and do not share links: each time in it is a sum of terms
// and of maxima of earlier times. It says nothing of two calls that overlap, which would share ports and links.
//
//   const ExitDelays delays = exit_delays(make_schedule(Problem::alltoall(8, 1024), "bruck"), times);
//   std::vector<double> exits(8);
//   delays.exits(entries, exits);  // seconds
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "quadrille/simulate.hpp"

namespace quadrille {

class ExitDelays {
 public:
  // delays[j * p + i] is delay(i, j) in seconds: the time from the entry of rank j to the exit of rank i. It is -infinity if rank i
  // does not wait for rank j.
  ExitDelays(Count ranks, std::vector<double> delays);

  Count ranks() const { return ranks_; }
  std::optional<double> delay(Rank exits, Rank enters) const;  // nothing if rank `exits` does not wait for rank `enters`

  // The time of the call if all ranks enter at the same time: the largest delay.
  double together() const { return together_; }

  // Returns these delays times `factor`. So the delays of a simulation can be made to agree with another price of the same call.
  ExitDelays scaled(double factor) const;

  // Sets `exits` to the times when ranks leave, if they enter at `entries`. Both have one time per rank, in seconds. Takes p^2
  // additions.
  void exits(std::span<const double> entries, std::span<double> exits) const;

 private:
  Count ranks_;
  std::vector<double> delays_;
  double together_;
};

struct ExitDelayOptions {
  Policy policy = Policy::blocking;
  // The most ranks that are simulated as the late one, spread over all ranks. The delays after the entry of any other rank are
  // those of the nearest simulated rank below it, with all ranks shifted by their distance. With a symmetry, one rank of each orbit
  // is simulated, and the result has no such error.
  Count most_simulations = 256;
  // Fewer ranks are simulated, but at least four, if all simulations together would have more messages than this.
  Count most_messages = Count{1} << 40;
};

// Simulates the schedule by events once for each rank that is late. Throws like simulate_events.
ExitDelays exit_delays(const Schedule& schedule, const MessageTimes& times, const ExitDelayOptions& options = {});

}  // namespace quadrille
