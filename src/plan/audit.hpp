// SPDX-License-Identifier: BSD-3-Clause
// The audit: which performance guidelines (plan/guidelines.hpp) the vendor's collectives violate, and which ours do. Both sides of
// a guideline run on real, checked data, by turns, and ratios are taken within a round, as in a race (docs/benchmarking.md).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plan/guidelines.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/race.hpp"

namespace quadrille {

// Whose collectives run on both sides of a guideline.
enum class Library : std::uint8_t { vendor, ours };

std::string_view name(Library library);

struct AuditOptions {
  std::span<const Guideline> guidelines = all_guidelines();
  std::vector<Library> libraries{Library::ours};
  int rounds = 9;                                       // of everything that is timed; six are the fewest for wanted_confidence
  double seconds = 1;                                   // a target for one audit
  std::uint64_t seed = 1;                               // of the order
  std::shared_ptr<const Operator> operation;            // reductions need one that is built in
  std::function<void(int round, int rounds)> progress;  // called on rank 0
};

enum class Judgement : std::uint8_t { held, violated, open, wrong_data };

std::string_view name(Judgement judgement);

// One guideline at one size.
struct Audited {
  const Guideline* guideline = nullptr;
  Library library = Library::ours;
  Spread left_s, right_s;                // of the rounds' times of one run
  std::vector<std::string> left, right;  // what ran: the algorithm of each plan in turn
  Spread ratio;                          // of the rounds' left / right
  double clock_bound_s = 0;              // of the times, as in RaceEntry
  std::string failed_check;              // where the data was wrong; empty: checked and right

  // Violated if the whole interval of the ratio is above the tolerance, held if none of it is.
  Judgement judgement(double tolerance) const;
};

// Of the times of both sides, round by round.
Spread ratio_by_rounds(const std::vector<double>& left, const std::vector<double>& right);

struct AuditResult {
  Collective collective{};
  Bytes block_bytes = 0;
  std::vector<Audited> comparisons;                           // in the order of the table
  std::vector<std::pair<std::string, std::string>> left_out;  // names of guidelines, and the reason
  Count runs_per_sample = 1;
  double confidence = 0;  // of the intervals
  MachineLoad load;
};

// Collective: the guidelines with this collective on the left. `block_bytes` as in left_side. Every rank gets the same result.
// Throws Error{misuse, too_large} like `check` and `race`.
AuditResult audit(Communicator& communicator, Collective collective, Bytes block_bytes, const AuditOptions& options = {});

}  // namespace quadrille
