// SPDX-License-Identifier: BSD-3-Clause
// Times what all ranks of a group do together, from the first rank's start to the last rank's end.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "quadrille/execute.hpp"
#include "tune/race/clocks.hpp"

namespace quadrille {

// Allocates whole pages, in the process's private memory or, if `shared`, in memory that the ranks share. Throws Error{too_large}.
std::shared_ptr<std::byte> buffer(Communicator& communicator, Bytes bytes, bool shared);

// A duration across ranks. Its error is at most `bound`, which is 0 if all ranks read one clock.
struct Span {
  double seconds = 0, bound = 0;
  double least = 0, mean = 0, most = 0;  // of the ranks' own durations, each from the rank's start to its end
};

class Stopwatch {
 public:
  explicit Stopwatch(Communicator& communicator, Clock clock = monotonic_clock());  // collective

  // Collective: calls run(0), run(1), ... run(count - 1) on every rank. All ranks start each call at the same time,
  // except late ranks. If `prepare` is given, each rank calls prepare(i) before run(i), outside of the timed span. The
  // result is equal on all ranks.
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
