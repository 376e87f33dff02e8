// SPDX-License-Identifier: BSD-3-Clause
#include "projection/replay.hpp"

#include <numeric>

#include "projection/shared_cores.hpp"
#include "projection/walk.hpp"

namespace quadrille::projection {
namespace {

constexpr Count entries_between_reports = 1 << 16;

double entries_of(const Recording& recording) {
  return std::accumulate(recording.ranks.begin(), recording.ranks.end(), 0.0,
                         [](double sum, const RecordedRank& rank) { return sum + static_cast<double>(rank.calls); });
}

// Each rank has a core, so the order in which ranks go on has no influence on their times.
void walk_freely(Walk& walk, std::size_t ranks, const std::function<void()>& report) {
  std::vector<std::size_t> ready(ranks);
  std::iota(ready.rbegin(), ready.rend(), std::size_t{0});
  while (!ready.empty()) {
    const std::size_t rank = ready.back();
    ready.pop_back();
    while (walk.take(rank)) {
      for (std::size_t side = 0; side < sides; ++side) {
        walk.pass(side, rank, ProjectedPart::computing, walk.computing_s(rank));
        walk.pass(side, rank, ProjectedPart::other, walk.away_s(rank));
      }
      if (walk.taken() % entries_between_reports == 0) report();
      if (!walk.act(rank, ready)) break;
    }
  }
}

}  // namespace

Replayed replay(const Recording& recording, const ProjectionOptions& options, CallPrices& prices) {
  const std::size_t ranks = recording.ranks.size();
  const double entries = entries_of(recording);
  Count before = 0;  // entries of earlier passes
  const bool shares_cores = options.total_cores > 0 && options.total_cores < static_cast<Count>(ranks);
  const auto report_of = [&](const Walk& walk) {
    return [&] {
      const double all = entries * (shares_cores ? 2 : 1);
      if (options.progress) options.progress(static_cast<double>(before + walk.taken()) / std::max(all, 1.0));
    };
  };
  if (!shares_cores) {
    Walk walk(recording, options, prices, 0, sides);
    walk_freely(walk, ranks, report_of(walk));
    return std::move(walk).finish();
  }
  BySide<Replayed> passes;
  for (std::size_t side = 0; side < sides; ++side) {
    Walk walk(recording, options, prices, side, side + 1);
    walk_on_shared_cores(walk, side, ranks, options.total_cores, report_of(walk));
    before = walk.taken();
    passes[side] = std::move(walk).finish();
  }
  passes[0].ranks[1] = std::move(passes[1].ranks[1]);
  return std::move(passes[0]);
}

}  // namespace quadrille::projection
