// SPDX-License-Identifier: BSD-3-Clause
// The race: candidates for one problem run side by side on real data, checked and timed. Time of a run is the last rank's
// end minus the first rank's start, on one clock or on clocks that are compared; candidates are interleaved in shuffled order, and
// ratios are taken within a round (docs/benchmarking.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/candidate.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

struct RaceCandidate {
  Candidate algorithm;  // for the problem of the race
  Policy policy = Policy::blocking;
  int buffers = 2;                          // as in PlanOptions
  Executor executor = Executor::automatic;  // as in PlanOptions; a result says what it was
  bool keep_step = false;                   // as in PlanOptions
  bool is_auto = false;                     // it is what a plan chooses here; for people
  // A schedule of anybody's that is run instead of an algorithm, for the problem of the race. It is verified first (`plan`).
  std::shared_ptr<const Schedule> schedule = nullptr;

  bool is_vendor() const { return !schedule && quadrille::is_vendor(algorithm); }
  bool runs_the_same(const RaceCandidate& other) const { return algorithm == other.algorithm && schedule == other.schedule; }
};

// With all parameters; of a schedule its own words.
std::string specification(const RaceCandidate& candidate);

// A time may be wrong by this share of it, since the ranks' clocks differ, without remark. Batches get more runs to keep to it.
inline constexpr double tolerated_clock_error = 0.05;

// A sample of one candidate in one round is the median of so many batches.
inline constexpr std::size_t batches_per_sample = 5;

struct RaceOptions {
  int rounds = 9;                             // of all candidates
  double seconds_per_problem = 2.0;           // a target for all rounds of all candidates together
  std::optional<Count> iterations;            // runs of a batch, whatever time they take; absent: as seconds_per_problem has it
  double hopeless = 0;                        // above 0: what takes so many times as long as the fastest is left out beforehand
  Count warm_up = 0;                          // runs of a candidate before each of its samples
  std::uint64_t seed = 1;                     // of the shuffling
  std::shared_ptr<const Operator> operation;  // reductions need one; a built-in one, for there is data to check those with
  bool shared_buffers = false;                // input and output from Communicator::allocate instead of this process's own memory
  bool cold = false;                          // input and output are in no cache: pairs of them are used by turns
  std::vector<ExecutorFit> fits;              // to predict times by, of the group's executors (fit.hpp); others have no prediction
  std::function<void(int round, int rounds)> progress;  // called on rank 0
};

// What intervals of medians are to reach; six rounds are the fewest that do.
inline constexpr double wanted_confidence = 0.95;

// Wider intervals, by upper / lower, conclude nothing.
inline constexpr double widest_interval = 1.5;

// Of the rounds' figures. Their true median is from `lower` to `upper`, with the result's confidence.
struct Spread {
  double median = 0, least = 0, most = 0, lower = 0, upper = 0;

  bool is_wide() const { return upper > widest_interval * lower; }
};

// The ranks' own durations of a run, from each rank's start to its end.
struct OverRanks {
  double least = 0, mean = 0, most = 0;
};

struct RaceEntry {
  RaceCandidate candidate;
  std::vector<RaceCandidate> same_as;  // others whose steps are the same on every rank: they were not run again
  std::optional<Figures> figures;      // absent for `vendor`, which has no schedule
  Bytes staging_bytes = 0;             // of the executor, largest over the ranks
  Spread seconds;                      // of the rounds' times of one run
  // What `seconds` come from: for each round the times of one run in its batches, in the order in which they ran. The median of a
  // round's batches is the round's time.
  std::vector<std::vector<double>> samples_s;
  OverRanks over_ranks;      // medians over all batches
  double clock_bound_s = 0;  // how far the comparison of the ranks' clocks may be off in them; 0 where they read the same
  std::optional<double> predicted_seconds;  // by the fit of its executor; absent without one, and for `vendor`
  Phases phases;                            // of one run, means over ranks and runs, taken apart from the timed ones
  std::optional<Spread> ratio;              // of the rounds' own / vendor's; absent without a vendor
  std::optional<Spread> to_best;            // of the rounds' own / those of RaceResult::best; absent where data was wrong
  std::string failed_check;                 // where the data was wrong; empty: checked and right
};

enum class Conclusion {
  wrong_data,      // no candidate's was right
  too_few_rounds,  // for wanted_confidence
  noisy,           // a candidate may be as fast as the best, and its interval is wide
  tied,            // candidates may be as fast as the best, by narrow intervals
  fastest,         // the best is
};

std::string_view name(Conclusion conclusion);

// What used the cores of a machine beside the ranks.
struct MachineLoad {
  double others = 0;  // cores
  Count cores = 0, ranks = 0;

  // Do the others want cores that the ranks need?
  bool disturbs() const { return others > 0.1 && others + static_cast<double>(ranks) > static_cast<double>(cores); }
};

struct RaceResult {
  Problem problem;
  std::vector<RaceEntry> entries;                               // in the order of the candidates
  std::vector<std::pair<RaceCandidate, std::string>> left_out;  // and the reason
  std::vector<ExecutorFit> fits;                                // that predicted the times
  std::optional<double> prediction_error;                       // median of |predicted / measured - 1|
  std::optional<std::size_t> best;                              // the entry with the least median, of those with right data
  Conclusion conclusion = Conclusion::wrong_data;
  double confidence = 0;      // of the intervals
  MachineLoad load;           // while it was measured, where it disturbs the most
  Count runs_per_sample = 1;  // of a batch
  Count buffer_pairs = 1;     // of input and output, used by turns
  int rounds = 0;
};

// Throws Error{too_large} if the data of all ranks does not fit this machine's memory. `race` asks it first; whoever means to
// race several problems may ask for all of them before the first.
void check_memory(const Problem& problem);

// Collective. Every rank gets the same result. Candidates that do not apply are left out with the reason.
// Throws Error{too_large} if the data does not fit this machine's memory, and what `plan` throws for a schedule that is wrong.
RaceResult race(Communicator& communicator, const Problem& problem, const std::vector<RaceCandidate>& candidates,
                const RaceOptions& options = {});

}  // namespace quadrille
