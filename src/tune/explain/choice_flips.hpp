// SPDX-License-Identifier: BSD-3-Clause
// Where the choice for a problem changes, as the size of its blocks, the ranks or the irregularity of its counts grow.
#pragma once

#include "quadrille/explain.hpp"
#include "tune/explain/find_flips.hpp"

namespace quadrille {

// Makes quick decisions for problems that differ from the first in one quantity, and finds where the choice changes. Each function
// takes about a third of ExplainOptions::seconds. The arguments must outlive the object.
class ChoiceFlips {
 public:
  ChoiceFlips(const Problem& problem, const MachineKnowledge& knowledge, const ExplainOptions& options)
      : problem_(problem), knowledge_(knowledge), options_(options) {}

  Flips by_block() const;
  Flips by_ranks() const;
  Flips by_irregularity() const;  // empty unless the problem has a count for each pair of ranks

 private:
  Problem with_ranks(Count ranks) const;
  Taken taken_for(FlipQuantity quantity, Count value, Problem problem) const;

  const Problem& problem_;
  const MachineKnowledge& knowledge_;
  const ExplainOptions& options_;
};

}  // namespace quadrille
