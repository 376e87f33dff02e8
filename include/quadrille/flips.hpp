// SPDX-License-Identifier: BSD-3-Clause
// Flips: the places where a choice changes as one quantity grows, such as the bytes of a block.
//
//   const Problem problem = Problem::alltoall(64, 64);
//   const std::vector<Choice> candidates{parse_choice(problem, "bruck"), parse_choice(problem, "bruck:radix=64")};
//   const Flips flips = cheapest_by_block(problem, candidates, *find_model("linear"), find_machine("sp1"));
//   for (const Flip& flip : flips.list) std::printf("from %ld B %s\n", flip.from, flip.way.c_str());
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/model.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

struct Flip {
  Count from = 0;   // the first value with this choice
  std::string way;  // the choice as text, without parameters that have their default values; empty: no candidate applies here
  // Only of `explain`: other choices that are the best at some values from here to the next flip, where predictions are not exact
  // enough to tell them from `way` (see tie_tolerance in decision.hpp).
  std::vector<std::string> tied = {};
};

struct Flips {
  std::vector<Flip> list;  // ascending; the first begins at the first value examined
  Count upto = 0;          // the last value examined
  std::string note;        // why the list is empty or ends early; empty: it is complete
};

inline constexpr Bytes most_block_bytes = Bytes{1} << 24;  // flips by size of block are searched up to this size

// Returns the same problem with blocks of this size. For an irregular collective the caller decides what that means, for example
// counts whose mean is this size.
using AtBlock = std::function<Problem(Bytes block_bytes)>;

struct CheapestOptions {
  std::optional<Topology> topology;  // required by models that count links
  // If empty, a collective with blocks of one size gets blocks of this size; an irregular one has no flips, and a note says so.
  AtBlock at_block;
  // Workload::messages_counted of all candidates together for `problem`, if the caller has counted them; 0: they are counted here.
  Count messages = 0;
  std::function<void(Bytes block_bytes)> progress;  // called before each size
};

// Finds which candidate has the least price, under its best policy, for blocks from one element to `most_block_bytes` bytes; among
// equal prices, the one with the fewest ports. It prices powers of two. Between two with different winners it searches the exact
// size, among candidates that win somewhere. A parameter that is left out, or has its default value for `problem`, has the default
// value of each size. A candidate that does not apply at a size is left out there. If that would take too long, because the
// candidates have more than 500 000 messages, or if a size is too large, the list is empty and the note says why.
// Throws Error{misuse} if there is no candidate or one of another collective, if the machine has no figures for the model, or if
// the model cannot price the problem.
Flips cheapest_by_block(const Problem& problem, const std::vector<Choice>& candidates, const Model& model,
                        const MachineCosts& machine, const CheapestOptions& options = {});

}  // namespace quadrille
