// SPDX-License-Identifier: BSD-3-Clause
// Exchanges among nodes of given sizes [sanders2002]: what schedules do in each step.
#pragma once

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "papers/machines.hpp"

namespace quadrille::papers {

inline Problem on_nodes(const std::vector<Count>& sizes, Bytes block_bytes = 1) {
  Problem problem = Problem::alltoall(std::accumulate(sizes.begin(), sizes.end(), Count{0}), block_bytes);
  for (std::size_t node = 0; node < sizes.size(); ++node)
    problem.nodes.insert(problem.nodes.end(), index(sizes[node]), static_cast<Count>(node));
  return problem;
}

// One step in words: "1.0=2.1" is an exchange between processor 0 of node 1 and processor 1 of node 2, "1.0>1.1" a
// message within node 1, and "1.1~1.1" the data that a processor keeps.
struct NodeStep {
  std::set<std::string> operations;
  bool between_nodes = false;
  std::set<std::pair<Rank, Rank>> delivered;  // pairs (from, to)
};

inline std::vector<NodeStep> steps_of(const Schedule& schedule) {
  std::vector<Count> first_rank;  // first rank of each node
  const std::vector<Count>& nodes = schedule.problem.nodes;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    if (index(nodes[index(rank)]) == first_rank.size()) first_rank.push_back(rank);
  const auto node_of = [&](Rank rank) { return nodes[index(rank)]; };
  const auto label = [&](Rank rank) { return fmt::format("{}.{}", node_of(rank), rank - first_rank[index(node_of(rank))]); };
  std::vector<NodeStep> steps;
  for (const Stage& stage : schedule.program(0).stages)
    steps.resize(std::max(steps.size(), index(stage.first_round + stage.round_count)));
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds) {
      NodeStep& step = steps[index(round.number)];
      if (!round.locals.empty()) {
        step.operations.insert(label(rank) + "~" + label(rank));
        step.delivered.insert({rank, rank});
      }
      for (const Message& message : round.sends) {
        const bool both = !round.receives.empty() && round.receives[0].peer == message.peer;
        if (!both || rank < message.peer) step.operations.insert(label(rank) + (both ? "=" : ">") + label(message.peer));
        step.between_nodes = step.between_nodes || node_of(rank) != node_of(message.peer);
        step.delivered.insert({rank, message.peer});
      }
    }
  return steps;
}

}  // namespace quadrille::papers
