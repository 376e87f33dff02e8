// SPDX-License-Identifier: BSD-3-Clause
// Counts how a schedule loads the links of a network.
#include <algorithm>

#include "quadrille/checked.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {

LinkFigures link_figures(const Schedule& schedule, const Topology& topology) {
  check_ranks(topology, schedule.problem);
  SendsByRound sends(schedule, !moves_data(schedule.problem.collective));
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    if (sends.is_owner(rank)) sends.add(schedule.program(rank));
  LinkFigures figures;
  LinkLoads loads(topology);
  Bytes longest = 0;
  sends.for_each(
      [&](Count, Rank from, auto messages, auto&& image) {
        for (const SendsByRound::Send& message : messages) {
          longest = std::max(longest, message.bytes);
          loads.add(from, image(message.peer), message.port(), message.bytes);
        }
      },
      [&](Count) {
        const Count sharing = loads.take().messages;
        figures.sharing = std::max(figures.sharing, sharing);
        const auto shared = checked_product(longest, sharing);
        if (!shared)
          throw Error(ErrorCode::too_large, "the messages that share a link together reach 2^63 bytes; make the sizes smaller");
        add_bytes(figures.c2_shared, *shared);
        longest = 0;
      });
  return figures;
}

std::vector<Bound> lower_bounds(const Problem& problem, const Topology& topology) {
  check_ranks(topology, problem);
  if (problem.collective != Collective::alltoall) return {};
  return {{"c2_shared", topology.exchange_load(problem.block_bytes), "liu2005, lemma 1: what links carry at least"}};
}

}  // namespace quadrille
