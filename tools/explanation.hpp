// SPDX-License-Identifier: BSD-3-Clause
// What would be taken for a problem, and why.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain_knowledge.hpp"
#include "flips.hpp"
#include "problem_options.hpp"
#include "quadrille/decision.hpp"
#include "talk.hpp"

namespace quadrille::command {

// A price taken apart. Without contention it is what the start-ups, bytes and copies of a rank take by themselves; contention is
// what it takes longer since the ranks of a node share its adapter, memory and cores.
struct PriceParts {
  double startups_s = 0, bytes_s = 0, copies_s = 0, contention_s = 0;
  Count startups = 0, rounds = 0;  // startups_s is what these and the operation itself take
  Bytes bytes = 0, copied = 0;
};

// An algorithm by an executor, under the policy that is best for it.
struct Row {
  Considered considered;
  std::string name;  // without parameters that have their defaults
  std::optional<PriceParts> parts;
};

// Every schedule takes at least so many rounds, and its messages that follow each other have at least so many bytes.
struct LowerBound {
  Count rounds = 0;
  Bytes bytes = 0;
  std::string of_rounds, of_bytes;  // sources
  std::optional<double> seconds;    // of so many start-ups and bytes; absent where it is not known what they take
};

struct Explanation {
  Problem problem;
  Decision decision;
  std::vector<Row> rows;                                          // in the order of Decision::considered
  std::vector<std::pair<std::string, std::string>> do_not_apply;  // algorithms, with the reason
  LowerBound bound;
  Flips by_block, by_ranks, by_skew;

  std::optional<double> seconds() const;  // of the chosen way: measured, or else predicted
};

struct ExplainOptions {
  Collective collective = Collective::alltoall;
  ProblemOptions problem;
  Bytes block = 8;             // --block of the problem
  std::size_t most_rows = 10;  // whose price is taken apart
  double seconds = 4;          // about how long flips are looked for
};

Explanation explain(const Problem& problem, const ExplainKnowledge& knowledge, const ExplainOptions& options, Progress& progress);

// "bruck:radix=4 by shared memory", "the MPI library's own alltoall".
std::string way_text(const Problem& problem, const Way& way);
std::string_view executor_text(Executor executor);  // "by shared memory"

}  // namespace quadrille::command
