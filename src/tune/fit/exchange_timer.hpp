// SPDX-License-Identifier: BSD-3-Clause
// Measures the times of plans on buffers that all plans share, and makes problems to measure, with equal blocks and small
// buffers. Used by calibrations and fits.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "quadrille/execute.hpp"
#include "tune/race/clocks.hpp"

namespace quadrille {

class ExchangeTimer {
 public:
  // Collective. The inputs and outputs of timed plans have at most `buffer_bytes`. Each time takes about `seconds_per_time` to
  // measure.
  ExchangeTimer(Communicator& communicator, Executor executor, Bytes buffer_bytes, double seconds_per_time);

  // Collective: the time of one run, from the rank that starts first to the rank that ends last. It is the median of a few
  // batches of consecutive runs. Equal on all ranks. Throws as `plan` does.
  Span time_of(const Problem& problem, std::string_view algorithm, Policy policy = Policy::blocking,
               const std::shared_ptr<const Operator>& operation = nullptr);
  Span time_of(const std::function<void()>& run);

  // Collective: the seconds that a rank is inside one run. All ranks start each run at the same time. Otherwise runs might
  // overlap, because some ranks leave a run before other ranks do. The result is the mean over the ranks and over several runs,
  // equal on all ranks. `noise`: the standard deviation of the logarithm of the time of these runs.
  struct Single {
    double seconds = 0, noise = 0;
  };
  Single time_of_single(const std::function<void()>& run);

  std::byte* input() const { return input_.get(); }
  std::byte* output() const { return output_.get(); }

 private:
  Communicator& communicator_;
  Stopwatch stopwatch_;
  const Executor executor_;
  const double seconds_;
  const std::shared_ptr<std::byte> input_, output_;
};

// Returns a problem on the communicator's nodes with root 0. All blocks are equal, also in irregular collectives.
Problem fit_problem(Communicator& communicator, Collective collective, Bytes block, const Operator& operation);

Bytes longest_buffer(const Problem& problem);  // the longest input or output of any rank

// True if the buffers of all ranks together take only a small part of a machine's memory.
bool is_small(const Problem& problem);

// Collective: returns true if the MPI library has the collective on every rank.
bool has_vendor(Communicator& communicator, const Problem& problem, const std::shared_ptr<const Operator>& operation);

}  // namespace quadrille
