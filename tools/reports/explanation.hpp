// SPDX-License-Identifier: BSD-3-Clause
// The way (algorithm, executor and policy) that a plan would choose for a problem, with the reasons.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "options/problem_options.hpp"
#include "quadrille/decision.hpp"
#include "reports/explain_knowledge.hpp"
#include "reports/flips.hpp"
#include "support/talk.hpp"

namespace quadrille::command {

// The parts of a price. Start-ups, bytes and copies are what a rank takes when it is alone; contention is the extra time because
// the ranks of a node share its adapter, memory and cores.
struct PriceParts {
  double startups_s = 0, bytes_s = 0, copies_s = 0, contention_s = 0;
  Count startups = 0, rounds = 0;  // startups_s is the time of these and of starting the operation itself
  Bytes bytes = 0, copied = 0;
};

// An algorithm run by an executor, under the policy that is best for it.
struct Row {
  Considered considered;
  std::string name;  // omits parameters that have their default values
  std::optional<PriceParts> parts;
};

// A bound for all schedules: the least number of rounds, and the fewest bytes in messages that follow each other.
struct LowerBound {
  Count rounds = 0;
  Bytes bytes = 0;
  std::string of_rounds, of_bytes;  // the sources of both bounds
  std::optional<double> seconds;    // the time of so many start-ups and bytes; absent if their costs are not known
};

struct Explanation {
  Problem problem;
  Decision decision;
  std::vector<Row> rows;                                          // in the order of Decision::considered
  std::vector<std::pair<std::string, std::string>> do_not_apply;  // algorithms that cannot be used, each with the reason
  LowerBound bound;
  Flips by_block, by_ranks, by_skew;

  std::optional<double> seconds() const;  // time of the chosen way: measured, otherwise predicted
};

struct ExplainOptions {
  Collective collective = Collective::alltoall;
  ProblemOptions problem;
  Bytes block = 8;             // the value of --block
  std::size_t most_rows = 10;  // how many rows have their price taken apart
  double seconds = 4;          // about how long to search for flips
};

Explanation explain(const Problem& problem, const ExplainKnowledge& knowledge, const ExplainOptions& options,
                    ProgressLine& progress);

// Returns a way as text: "bruck:radix=4 by shared memory", "the MPI library's own alltoall".
std::string way_text(const Problem& problem, const Way& way);
std::string_view executor_text(Executor executor);  // "by shared memory"

}  // namespace quadrille::command
