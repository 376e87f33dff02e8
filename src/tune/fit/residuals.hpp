// SPDX-License-Identifier: BSD-3-Clause
// Compares a machine's prices with the times of collectives.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

// One measured time, divided by the price. Sizes of one class are near each other.
struct ResidualSample {
  Collective collective{};
  Implementation by = Implementation::ours;
  Bytes class_bytes = 0;  // the size that stands for the class
  double ratio = 1;
  double noise = 0;            // standard deviation of the logarithm of the time of single calls
  bool in_succession = false;  // each call followed the last one at once
};

// Returns a residual for each class and load. Two samples may agree by chance, so a spread is at least the usual one of its
// implementation: the median of the deviations of its classes, scaled to a standard deviation. Returns nothing for an
// implementation that has no class with several samples.
std::vector<Residual> residuals_of(const std::vector<ResidualSample>& samples);

// Longer calls take as long in succession as after a pause.
inline constexpr double longest_in_succession_s = 0.02;

struct ResidualOptions {
  Executor executor = Executor::shared;  // the executor of our algorithms
  double seconds = 2;                    // approximate duration; after twice this time only the shortest sizes are still timed
  std::function<void(std::string_view doing)> progress;
};

// Collective; the same result on all ranks. Times our choice and the MPI library's own collective, for each collective and at two
// sizes of each class, in two rounds if there is time: what differs between the rounds belongs to the spread. Calls are timed after
// a pause; calls that take less than `longest_in_succession_s` also in succession. The library's collective is compared only if the
// library's rules are known, and an algorithm of ours with the same messages (vendor_choice.hpp).
std::vector<Residual> measured_residuals(Communicator& communicator, const MachineCosts& machine, const ResidualOptions& options);

}  // namespace quadrille
