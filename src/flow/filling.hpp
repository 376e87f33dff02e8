// SPDX-License-Identifier: BSD-3-Clause
// Fills rounds with parts: which bytes go over which hop in which round.
#pragma once

#include <vector>

#include "flow/parts.hpp"

namespace quadrille {

// Bytes of a part that make one step of its way in one round.
struct PartTransfer {
  std::size_t part = 0, step = 0;
  Bytes first = 0, length = 0;  // in the part
  Count origin = -1;            // the transfer that brought these bytes; -1: the part's source has them
};

// What a round may hold.
struct RoundLimits {
  Bytes longest = 1;  // bytes of a message; of one over slow or fast links, as many as take the same time
  Count sharing = 1;  // messages over one link, as in BusiestLink
};

struct FilledRounds {
  std::vector<std::vector<PartTransfer>> rounds;  // origins count the transfers of all rounds so far
  Bytes c2_shared = 0;
};

// Fills one round after the other. First come parts that still have to pass the link with the most bytes left, or many links, as
// long as the limits allow. A part of which only the beginning fits is cut. What arrives in a round leaves in a later one.
FilledRounds filled_rounds(const RankNetwork& network, const std::vector<BlockPart>& parts, const RoundLimits& limits);

}  // namespace quadrille
