// SPDX-License-Identifier: BSD-3-Clause
// Chooses ways so that the busiest link carries as little as possible.
#pragma once

#include <functional>

#include "flow/parts.hpp"

namespace quadrille {

struct WayLimits {
  Count steps = 60;
  Bytes enough = 0;                                 // the search ends when no link carries more
  std::function<bool(Bytes busiest)> goes_on = {};  // called after each step
};

// Gives each part a way; returns the bytes of the busiest link, in those of the machine's link (Capacities). Each step takes up
// every part, one after the other, and puts it on the way that is cheapest then. A link's price grows exponentially with its bytes,
// in later steps faster: this is the sequential form of a multicommodity flow by multiplicative weights [garg2007], with whole
// parts. The best step counts.
Bytes choose_ways(const RankNetwork& network, std::vector<BlockPart>& parts, const WayLimits& limits);

// The bytes of each link, by its number.
std::vector<Bytes> link_bytes(const RankNetwork& network, const std::vector<BlockPart>& parts);

}  // namespace quadrille
