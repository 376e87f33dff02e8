// SPDX-License-Identifier: BSD-3-Clause
// How many calls a trial has, when it is repeated, and what its times say. Nothing here depends on MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

constexpr double enough_gain = 0.9;  // a plan is taken if it takes at most this fraction of the MPI library's time

// Number of executions in a trial that are timed together. In a program's loop consecutive calls overlap, which the times of single
// calls after a barrier would not show. And a short call is as short as the errors of the clock and the barrier. `moved`: bytes
// that leave or reach a rank in a call.
int batch_of_trial(Bytes moved);
constexpr int repetitions_of_trial = 4;  // of ours and of the MPI library's; the first is a warm-up

// The number of the call, a power of two, at which our algorithm is next compared with the MPI library's. This is so rare that the
// calls of trials are at most a few percent of all calls.
std::uint64_t next_epoch(std::uint64_t calls, Bytes moved);

// A trial of the program's own calls is disturbed by whatever else the ranks do. If it is lost by little, a second one is held.
// Returns the number of the call from which on it may be; nothing if the trial is lost by far. `ratio`: our time / the MPI
// library's.
std::optional<std::uint64_t> second_trial_after(std::uint64_t calls, double ratio);

// Times of a plan and of the MPI library's function, in seconds; ours_s[i] and vendors_s[i] belong to the same repetition.
struct TrialTimes {
  std::vector<double> ours_s, vendors_s;
  double ratio() const;  // the median of ours_s[i] / vendors_s[i]; requires at least one repetition
};

}  // namespace quadrille::mpi_face
