// SPDX-License-Identifier: BSD-3-Clause
// Timing what all ranks of a group do together, from the first rank's start to the last rank's end.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "plan/clocks.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

// Whole pages, of this process's own memory or of what the ranks share. Throws Error{too_large}.
std::shared_ptr<std::byte> buffer(Communicator& communicator, Bytes bytes, bool shared);

// A time that compares ranks; wrong by `bound` at most, which is 0 where they read the same clock.
struct Span {
  double seconds = 0, bound = 0;
  double least = 0, mean = 0, most = 0;  // over the ranks, of each one's own time from its start to its end
};

class Stopwatch {
 public:
  explicit Stopwatch(Communicator& communicator, Clock clock = monotonic_clock());  // collective

  // Collective: calls run(0), run(1), ... run(count - 1) on every rank. All ranks start each call at the same time, except those
  // that come late. Each calls prepare(i), where it is given, before run(i), in time that is not counted. The same on all ranks.
  std::vector<Span> time(std::size_t count, const std::function<void(std::size_t)>& run,
                         const std::function<void(std::size_t)>& prepare = {});

 private:
  void start_together();

  Communicator& communicator_;
  Clocks clocks_;
  bool crowded_ = false;      // are there more ranks than cores?
  Nanoseconds lateness_ = 0;  // of this rank, when it last learned of a start
};

}  // namespace quadrille
