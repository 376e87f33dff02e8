// SPDX-License-Identifier: BSD-3-Clause
// Finds the places where a choice changes as one quantity grows, and ways that are tied with the chosen one: predictions are not
// exact enough to tell which is faster.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "quadrille/decision.hpp"
#include "quadrille/explain.hpp"

namespace quadrille {

// Returns the other ways whose predicted time is tied with that of the chosen way, the fastest first. Returns none if the chosen
// way was measured. Baselines are left out.
std::vector<const Considered*> tied_with_chosen(const Decision& decision);

using Deadline = std::chrono::steady_clock::time_point;

// Adds the flips after `first` up to and including `last`, two values whose choices are known. Bisects between them until
// `is_near` says that two values are close enough. May miss a choice that changes and changes back between two examined values.
void find_changes(const Flip& first, const Flip& last, const std::function<std::string(Count)>& way_at,
                  const std::function<bool(Count from, Count to)>& is_near, std::vector<Flip>& changes);

// The choice at a value.
struct Taken {
  std::string way;
  std::vector<std::string> tied = {};  // other ways that, by the predictions, may be as good
};

// Calls `taken_at` for each of the ascending `values`. If `bisects`, it also bisects between neighbours with different choices,
// until the place of the flip is known to 3 %. It stops at the deadline. If neighbouring choices are tied at all examined values
// of both, they become one flip, which names the other choices as tied.
Flips find_flips(const std::vector<Count>& values, bool bisects, Deadline deadline, const std::function<Taken(Count)>& taken_at);

// Returns the numbers of elements 1, 2, 4 and so on whose blocks have at most `most_block_bytes` bytes.
std::vector<Count> powers_of_elements(Bytes element_bytes);

// Returns the problem with blocks of this size: from `at_block` if it is given, otherwise the same problem with another block
// size.
Problem with_block(const Problem& problem, Bytes block_bytes, const AtBlock& at_block);

// Returns true if with_block can change the sizes.
bool has_other_blocks(const Problem& problem, const AtBlock& at_block);

// Returns the note of flips by size if the sizes of the problem cannot be changed.
std::string why_no_other_blocks(const Problem& problem);

// Finds where the choice for a problem changes as the size of its blocks, its ranks, or the irregularity of its counts grows.
// Makes quick decisions for problems that differ from the first in one quantity. Each function takes about a third of
// ExplainOptions::seconds. The arguments must outlive the object.
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
