// SPDX-License-Identifier: BSD-3-Clause
// Counts the work of ranks and nodes in each round: messages within a node and to other nodes, copies and reductions.
#pragma once

#include <functional>

#include "cost/by_round.hpp"
#include "quadrille/model.hpp"

namespace quadrille {

struct CountedWork {
  Count messages = 0;       // both ends, of the ranks whose programs were counted
  Count nodes_sampled = 0;  // Workload::nodes_sampled
};

// Adds the work to the figures of each round. If a symmetry is stated, only the representatives' programs are made; if the symmetry
// also maps nodes to nodes, one node of each class is counted. If there are more than some millions of messages, only a sample of
// the nodes is counted. `visit` is called once with every program that is made. It must call rounds.expect with the first of them.
CountedWork count_work(const Schedule& schedule, ByRound<RoundFigures>& rounds, const std::function<void(const Program&)>& visit);

}  // namespace quadrille
