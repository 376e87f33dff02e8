// SPDX-License-Identifier: BSD-3-Clause
// An audit finds out which performance guidelines (tune/audit/guidelines.hpp) the MPI library's collectives violate, and which ones
// ours violate. Both sides of a guideline run alternately on real data, which is checked. Ratios of times are taken within a
// repetition, as in a race (docs/benchmarking.md).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/race.hpp"
#include "tune/audit/guidelines.hpp"

namespace quadrille {

// The library whose collectives run on both sides of a guideline.
enum class Library : std::uint8_t { vendor, ours };

std::string_view name(Library library);

struct AuditOptions {
  std::span<const Guideline> guidelines = all_guidelines();
  std::vector<Library> libraries{Library::ours};
  int repetitions = 9;                        // each times both sides of all guidelines; wanted_confidence needs at least six
  double seconds = 1;                         // target duration of one audit
  std::uint64_t seed = 1;                     // for the random order of the runs
  std::shared_ptr<const Operator> operation;  // the built-in operator of reductions; null for other collectives
  std::function<void(int repetition, int repetitions)> progress;  // called on rank 0
};

enum class Judgement : std::uint8_t { held, violated, open, wrong_data };

std::string_view name(Judgement judgement);

// One guideline at one size.
struct Audited {
  const Guideline* guideline = nullptr;
  Library library = Library::ours;
  Spread left_s, right_s;                // the time of one run, its spread over the repetitions
  std::vector<std::string> left, right;  // the algorithm of each plan, in order
  Spread ratio;                          // the spread of left / right over the repetitions
  double clock_bound_s = 0;              // bound on the error of the times, as in RaceEntry
  std::string failed_check;              // describes the first wrong data; empty if all data was right

  // Violated if the whole interval of the ratio lies above the tolerance; held if no part of the interval lies above it;
  // otherwise open.
  Judgement judgement(double tolerance) const;
};

// The spread of left / right over the repetitions.
Spread ratio_by_repetitions(const std::vector<double>& left, const std::vector<double>& right);

struct AuditResult {
  Collective collective{};
  Bytes block_bytes = 0;
  std::vector<Audited> comparisons;                           // in the order of the table of guidelines
  std::vector<std::pair<std::string, std::string>> left_out;  // name of the guideline, and the reason
  Count runs_per_sample = 1;
  double confidence = 0;  // the confidence of each interval
  MachineLoad load;
};

// Collective: audits the guidelines that have this collective on the left. `block_bytes` as in left_side. Every rank gets the same
// result. Throws Error{misuse, too_large} like `check` and `race`.
AuditResult audit(Communicator& communicator, Collective collective, Bytes block_bytes, const AuditOptions& options = {});

}  // namespace quadrille
