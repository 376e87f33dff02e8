// SPDX-License-Identifier: BSD-3-Clause
// One rank's place in a tree that something goes down round by round from a root: who hands it to this rank, and whom this rank
// hands it on to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "patterns/binomial.hpp"

namespace quadrille {

struct TreeEdge {
  Count round = 0;
  Rank peer = 0;
  RankRange ranks;  // those below the edge, where they are consecutive; else none
  bool operator==(const TreeEdge&) const = default;
};

struct TreePhase {
  std::string name;
  Count rounds = 0;
};

struct TreeNode {
  std::vector<TreePhase> phases;   // the same at every rank
  std::optional<TreeEdge> parent;  // none at the root
  std::vector<TreeEdge> children;  // in the order of rounds
  RankRange ranks;                 // the rank itself and those below it, where they are consecutive; else none
};

// The binomial tree as one phase.
TreeNode node_of(const BinomialTree& tree, std::string phase, Rank me);

}  // namespace quadrille
