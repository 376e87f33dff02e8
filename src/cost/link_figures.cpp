// SPDX-License-Identifier: BSD-3-Clause
// Counting what a schedule does to the links of a network.
#include <algorithm>

#include "quadrille/cost.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {

LinkFigures link_figures(const Schedule& schedule, const Topology& topology) {
  check_ranks(topology, schedule.problem);
  MessagesByRound rounds;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    add_messages(topology.ranks(), schedule.program(rank), schedule.problem.collective, rounds);
  LinkFigures figures;
  for (const auto& [number, messages] : rounds) {
    Bytes longest = 0;
    for (const RoutedMessage& message : messages) longest = std::max(longest, message.bytes);
    const Count sharing = busiest_link(topology, messages, [](const RoutedMessage&, const std::string&) {}).messages;
    figures.sharing = std::max(figures.sharing, sharing);
    figures.c2_shared += longest * sharing;
  }
  return figures;
}

std::vector<Bound> lower_bounds(const Problem& problem, const Topology& topology) {
  check_ranks(topology, problem);
  if (problem.collective != Collective::alltoall) return {};
  return {{"c2_shared", topology.exchange_load(problem.block_bytes), "liu2005, lemma 1: what links carry at least"}};
}

}  // namespace quadrille
