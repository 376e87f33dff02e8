// SPDX-License-Identifier: BSD-3-Clause
// The race: candidates for one problem run side by side on real data, checked and timed. Time of a run is the last rank's
// end minus the first rank's start, on one clock or on clocks that are compared; candidates are interleaved in shuffled order, and
// ratios are taken within a round (docs/benchmarking.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

struct RaceCandidate {
  std::string algorithm;  // as in PlanOptions
  Policy policy = Policy::blocking;
  int buffers = 2;                          // as in PlanOptions
  Executor executor = Executor::automatic;  // as in PlanOptions; a result says what it was
  bool keep_step = false;                   // as in PlanOptions
};

// A time may be wrong by this share of it, since the ranks' clocks differ, without remark. Batches get more runs to keep to it.
inline constexpr double tolerated_clock_error = 0.05;

struct RaceOptions {
  int rounds = 9;                             // of all candidates
  double seconds_per_problem = 2.0;           // a target for all rounds of all candidates together
  std::uint64_t seed = 1;                     // of the shuffling
  std::shared_ptr<const Operator> operation;  // reductions need one; a built-in one, for there is data to check those with
  bool shared_buffers = false;                // input and output from Communicator::allocate instead of this process's own memory
  std::optional<FlatModel> model;             // to predict times by; absent: fitted to this group beforehand
  std::function<void(int round, int rounds)> progress;  // called on rank 0
};

struct Spread {
  double median = 0, least = 0, most = 0;
};

struct RaceEntry {
  RaceCandidate candidate;         // with all parameters
  std::optional<Figures> figures;  // absent for `vendor`, which has no schedule
  Bytes staging_bytes = 0;         // of the executor, largest over the ranks
  Spread seconds;                  // of the rounds' times of one run
  double clock_bound_s = 0;        // how far the comparison of the ranks' clocks may be off in them; 0 where they read the same
  std::optional<double> predicted_seconds;  // by the model; absent for `vendor`
  Phases phases;                            // of one run, means over ranks and runs, taken apart from the timed ones
  std::optional<Spread> ratio;              // of the rounds' own / vendor's; absent without a vendor
  std::string failed_check;                 // where the data was wrong; empty: checked and right
};

struct RaceResult {
  Problem problem;
  std::vector<RaceEntry> entries;                             // in the order of the candidates
  std::vector<std::pair<std::string, std::string>> left_out;  // candidate and reason
  FlatModel model;                                            // that predicted the times
  Count runs_per_sample = 1;
  int rounds = 0;
};

// Collective, about a second. What a start-up and a byte take among these ranks now: a line through the times of small and of
// larger equal exchanges; and the contention factor, from a permutation of long messages. The same on all ranks.
FlatModel fit_model(Communicator& communicator);

// Throws Error{too_large} if the data of all ranks does not fit this machine's memory. `race` asks it first; whoever means to
// race several problems may ask for all of them before the first.
void check_memory(const Problem& problem);

// Collective. Every rank gets the same result. Candidates that do not apply are left out with the reason.
// Throws Error{too_large} if the data does not fit this machine's memory.
RaceResult race(Communicator& communicator, const Problem& problem, const std::vector<RaceCandidate>& candidates,
                const RaceOptions& options = {});

}  // namespace quadrille
