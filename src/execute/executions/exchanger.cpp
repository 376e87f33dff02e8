// SPDX-License-Identifier: BSD-3-Clause
#include "execute/executions/exchanger.hpp"

#include <fmt/format.h>

#include "execute/executors.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

std::unique_ptr<Exchanger> Exchanger::of(Communicator& ranks) {
  Transport& own = ranks.transport();
  Transport& preferred = *own.offered().front();
  const std::shared_ptr<Starts> starts = own.starts(preferred.executor());
  auto execution = std::make_shared<Execution>(starts, "exchange");
  execution->hold(preferred.prepare_exchange());
  return std::unique_ptr<Exchanger>(new Exchanger(std::move(execution)));
}

void Exchanger::check(const Edges& edges, Count ranks) {
  if (std::max(edges.sends.size(), edges.receives.size()) > static_cast<std::size_t>(Edges::most))
    throw Error(ErrorCode::too_large, fmt::format("an exchange lists at most {} edges; make several exchanges", Edges::most));
  const auto is_rank = [ranks](Rank rank) { return rank >= 0 && rank < ranks; };
  const auto check_all = [&](const auto& list, auto peer, const char* direction) {
    for (const auto& edge : list) {
      if (is_rank(peer(edge)) && edge.bytes >= 0 && (edge.memory || edge.bytes == 0)) [[likely]]
        continue;
      if (!is_rank(peer(edge)))
        throw Error(ErrorCode::misuse,
                    fmt::format("an edge {} rank {}, but the group has {}", direction, peer(edge), counted(ranks, "rank")));
      throw Error(ErrorCode::misuse,
                  edge.bytes < 0
                      ? fmt::format("an edge {} rank {} has {} bytes", direction, peer(edge), edge.bytes)
                      : fmt::format("an edge {} rank {} has {} bytes, but no memory", direction, peer(edge), edge.bytes));
    }
  };
  check_all(
      edges.sends, [](const Edges::Send& edge) { return edge.to; }, "to");
  check_all(
      edges.receives, [](const Edges::Receive& edge) { return edge.from; }, "from");
}

}  // namespace quadrille
