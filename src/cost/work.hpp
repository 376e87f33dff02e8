// SPDX-License-Identifier: BSD-3-Clause
// Counting what ranks and nodes do in each round: messages inside a node and to others, copies, reductions.
#pragma once

#include <functional>

#include "cost/by_round.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

struct CountedWork {
  Count messages = 0;       // both ends, of the ranks that were looked at
  Count nodes_sampled = 0;  // Workload::nodes_sampled
};

// Adds to the figures by round. Where a symmetry is stated, only the representatives' programs are made, and where it takes each
// node to every other one, one node stands for all. Beyond some millions of messages some nodes are looked at instead of all.
// `visit` gets every program that is made, once; after the first one `rounds` must expect as many as it states.
CountedWork count_work(const Schedule& schedule, ByRound<RoundFigures>& rounds, const std::function<void(const Program&)>& visit);

}  // namespace quadrille
