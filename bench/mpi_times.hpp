// SPDX-License-Identifier: BSD-3-Clause
// Measures times among the ranks of MPI_COMM_WORLD, which must run on one machine, and summarises them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace quadrille::bench {

// Returns the microseconds from the moment when the earliest rank begins `work` to the moment when the latest one finishes; the
// same on all ranks. Uses the machine's clock, because Open MPI's MPI_Wtime has a different origin in each process.
template <class Work>
double span_us(Work&& work) {
  using Clock = std::chrono::steady_clock;
  const auto now = [] { return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count(); };
  MPI_Barrier(MPI_COMM_WORLD);
  double times[2] = {-now(), 0};  // negated, so that one maximum gives both the earliest start and the latest end
  work();
  times[1] = now();
  MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return times[0] + times[1];
}

inline double median(std::vector<double> list) {
  std::sort(list.begin(), list.end());
  const std::size_t half = list.size() / 2;
  return list.size() % 2 ? list[half] : (list[half - 1] + list[half]) / 2;
}

// The median, and the interval that holds it with a probability of at least 95 % (order statistics); all values if there are fewer
// than six.
struct Estimate {
  double median = 0, low = 0, high = 0;
};

inline Estimate estimate(std::vector<double> list) {
  const Estimate middle{.median = median(list)};
  std::sort(list.begin(), list.end());
  // The largest k for which fewer than k of n tosses of a coin fall on one side with a probability of at most 2.5 %.
  const auto n = static_cast<double>(list.size());
  std::size_t k = 0;
  for (double p = std::pow(0.5, n), tail = p; tail <= 0.025 && k < list.size() / 2; tail += p) {
    ++k;
    p *= (n - static_cast<double>(k) + 1) / static_cast<double>(k);
  }
  const std::size_t first = k > 0 ? k - 1 : 0;
  return {middle.median, list[first], list[list.size() - 1 - first]};
}

// Returns the ratio of values that were measured in pairs, one after the other.
inline Estimate ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  return estimate(std::move(ratios));
}

}  // namespace quadrille::bench
