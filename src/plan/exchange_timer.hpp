// SPDX-License-Identifier: BSD-3-Clause
// What plans take, measured on buffers that they all use in turn: for calibrations and fits.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "plan/timing.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class ExchangeTimer {
 public:
  // Collective. Input and output of what is timed have at most `buffer_bytes`; about how long a time may take to measure.
  ExchangeTimer(Communicator& communicator, Executor executor, Bytes buffer_bytes, double seconds_per_time);

  // Collective. Of one run, from the first rank's start to the last rank's end: the median of a few batches. Runs of a batch follow
  // each other. The same on all ranks. Throws as `plan` does.
  Span time_of(const Problem& problem, std::string_view algorithm, Policy policy = Policy::blocking,
               const std::shared_ptr<const Operator>& operation = nullptr);
  Span time_of(const std::function<void()>& run);

  std::byte* input() const { return input_.get(); }
  std::byte* output() const { return output_.get(); }

 private:
  Communicator& communicator_;
  Stopwatch stopwatch_;
  const Executor executor_;
  const double seconds_;
  const std::shared_ptr<std::byte> input_, output_;
};

}  // namespace quadrille
