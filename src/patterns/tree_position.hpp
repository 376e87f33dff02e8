// SPDX-License-Identifier: BSD-3-Clause
// The position of one rank in a tree along which data goes down from a root, round by round: the parent that sends to
// this rank, and the children to which this rank sends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "patterns/binomial.hpp"

namespace quadrille {

struct TreeEdge {
  Count round = 0;
  Rank peer = 0;
  RankRange ranks;  // the ranks below the edge if they are consecutive; else empty
  bool operator==(const TreeEdge&) const = default;
};

struct TreePhase {
  std::string name;
  Count rounds = 0;
};

struct TreePosition {
  std::vector<TreePhase> phases;   // the same at every rank
  std::optional<TreeEdge> parent;  // none at the root
  std::vector<TreeEdge> children;  // in the order of rounds
  RankRange ranks;                 // the rank itself and those below it if they are consecutive; else empty
};

// The rank's position in the binomial tree, as one phase with this name.
TreePosition position_of(const BinomialTree& tree, std::string phase, Rank me);

}  // namespace quadrille
