// SPDX-License-Identifier: BSD-3-Clause
// A race runs several candidates for one problem side by side on real data, checks their results and times them. The time of a
// run is the latest end of a rank minus the earliest start of a rank, read from one clock or from clocks that are compared with
// each other. Candidates are interleaved in shuffled order, and ratios of times are taken within a repetition
// (docs/benchmarking.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/candidate.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille {

// The ranks' clocks differ, so a measured time may be wrong by some fraction. If this fraction may be larger than
// `tolerated_clock_error`, batches get more runs, which reduces the fraction. If it still exceeds the tolerance, the result shows
// it.
inline constexpr double tolerated_clock_error = 0.05;

// A sample of one candidate in one repetition is the median of this many batches.
inline constexpr std::size_t batches_per_sample = 5;

struct RaceOptions {
  int repetitions = 9;               // each repetition runs all candidates
  double seconds_per_problem = 2.0;  // target for all repetitions of all candidates together
  std::optional<Count> iterations;   // runs in a batch, whatever their time; if absent, chosen to meet seconds_per_problem
  // If above 0: a candidate that takes more than this multiple of the fastest candidate's time is dropped before the race.
  double hopeless = 0;
  Count warm_up = 0;       // runs of a candidate before each of its samples
  std::uint64_t seed = 1;  // for the random order of the candidates
  // Required by reductions; must be built in, because the race has data to check results only for built-in operators.
  std::shared_ptr<const Operator> operation;
  bool shared_buffers = false;   // input and output come from Communicator::allocate instead of this process's private memory
  bool cold = false;             // no cache holds input or output when a run starts: the race cycles through many pairs of buffers
  std::optional<Way> automatic;  // the candidate that a plan would choose, for RaceEntry::is_auto
  // Fits of the group's executors (fit.hpp), to predict times; an executor without a fit gets no prediction.
  std::vector<ExecutorFit> fits;
  std::function<void(int repetition, int repetitions)> progress;  // called on rank 0
};

// The confidence that the intervals of medians should have. At least six repetitions are needed for it.
inline constexpr double wanted_confidence = 0.95;

// If upper / lower of an interval is larger than this, the interval is too wide for a conclusion.
inline constexpr double widest_interval = 1.5;

// Summary of the figures of all repetitions. With the result's confidence, the true median lies between `lower` and `upper`.
struct Spread {
  double median = 0, least = 0, most = 0, lower = 0, upper = 0;

  bool is_wide() const { return upper > widest_interval * lower; }
};

// Durations of one run measured on each rank by itself, from the rank's start to its end.
struct OverRanks {
  double least = 0, mean = 0, most = 0;
};

// What the MPI library is assumed to do in its own collective: by its built-in rules it takes `algorithm`, which sends the messages
// of `equivalent` (vendor_choice.hpp). The race does not observe what the library does.
struct AssumedVendor {
  std::string title;      // VendorLibrary::title
  std::string algorithm;  // the library's name of it
  Choice equivalent;
};

struct RaceEntry {
  Way candidate;                   // with the executor that ran it
  bool is_auto = false;            // a plan would choose this candidate, or one of `same_as`
  std::vector<Way> same_as;        // other candidates whose programs are identical on every rank; they did not run again
  std::optional<Figures> figures;  // absent for `vendor`, which has no schedule
  Bytes staging_bytes = 0;         // bytes of the executor's packing memory, on the rank that needs most
  Spread seconds;                  // time of one run: its spread over the repetitions
  // The raw times behind `seconds`: samples_s[r] lists, in the order of execution, the time per run of each batch in repetition r.
  // The median of these batches is the repetition's time.
  std::vector<std::vector<double>> samples_s;
  OverRanks over_ranks;      // medians over all batches
  double clock_bound_s = 0;  // largest error of these times that differences between the ranks' clocks can cause; 0: one clock
  // From the fit of the candidate's executor; absent if there is no fit. For `vendor`: the time of `assumed`, from the fit of
  // executor mpi.
  std::optional<double> predicted_seconds;
  // Present for `vendor` if its time is predicted. Absent for forced algorithms ("vendor:linear_sync"), whose settings may
  // differ.
  std::optional<AssumedVendor> assumed;
  Phases phases;                  // phases of one run: means over ranks and over additional runs, which do not count for `seconds`
  std::optional<Spread> ratio;    // own time / vendor's time of each repetition; absent without a vendor
  std::optional<Spread> to_best;  // own time / time of RaceResult::best in each repetition; absent if the data was wrong
  std::string failed_check;       // where the data was wrong; empty: the data was checked and is right
};

enum class Conclusion {
  wrong_data,           // no candidate produced the right data
  too_few_repetitions,  // fewer than an interval with wanted_confidence needs
  noisy,                // some candidate may be as fast as the best one, but its interval is wide
  tied,                 // some candidates may be as fast as the best one, and their intervals are narrow
  fastest,              // the best one is faster than all others
};

std::string_view name(Conclusion conclusion);

// How much of a machine's processor time went to programs other than the ranks.
struct MachineLoad {
  double others = 0;  // cores in use by other programs
  Count cores = 0, ranks = 0;

  // True if the other programs need cores that the ranks need, too.
  bool disturbs() const { return others > 0.1 && others + static_cast<double>(ranks) > static_cast<double>(cores); }
};

struct RaceResult {
  Problem problem;
  std::vector<RaceEntry> entries;                     // in the order of the candidates
  std::vector<std::pair<Way, std::string>> left_out;  // candidates that were left out, each with the reason
  std::vector<ExecutorFit> fits;                      // used to predict the times
  std::optional<double> prediction_error;             // median of |predicted / measured - 1|, without `vendor`
  std::optional<std::size_t> best;                    // among entries with right data, the one with the least median
  Conclusion conclusion = Conclusion::wrong_data;
  double confidence = 0;      // confidence of all intervals
  MachineLoad load;           // during the measurement, on the machine where it disturbs most
  Count runs_per_sample = 1;  // runs in a batch
  Count buffer_pairs = 1;     // pairs of input and output buffers that the runs cycle through
  int repetitions = 0;
};

// Throws Error{too_large} if the data of all ranks does not fit this machine's memory. `race` calls it first. A caller that will
// race several problems can check all of them before the first race.
void check_memory(const Problem& problem);

// Runs a race. Collective. Every rank gets the same result. Candidates that do not apply are left out, with the reason; `plan`
// verifies the schedules of families. Throws Error{misuse} for less than one repetition or iteration, Error{too_large} if the data
// does not fit this machine's memory, and the errors of `plan` for a wrong schedule.
RaceResult race(Communicator& communicator, const Problem& problem, const std::vector<Way>& candidates,
                const RaceOptions& options = {});

}  // namespace quadrille
