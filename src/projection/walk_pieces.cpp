// SPDX-License-Identifier: BSD-3-Clause
// What a walk tells of the time that passes.
#include <algorithm>

#include "projection/walk.hpp"

namespace quadrille::projection {

void Walk::tell(std::size_t side, std::size_t rank, ProjectedPart part, double begin_s, const Inside& inside) const {
  ProjectedPiece piece{.side = static_cast<Implementation>(side),
                       .rank = static_cast<Rank>(rank),
                       .part = part,
                       .begin_s = begin_s,
                       .end_s = now_s(side, rank),
                       .site = inside.site};
  if (!(piece.end_s > piece.begin_s)) return;
  if (inside.call) {
    if (const auto& by = inside.call->priced->priced->by[side]) piece.algorithm = by->algorithm;
    const std::vector<double>& entries = inside.call->entries[side];
    const auto last = std::max_element(entries.begin(), entries.end()) - entries.begin();
    piece.last_rank = recording_.communicators[inside.call->communicator].members[static_cast<std::size_t>(last)];
  }
  options_.pieces.watch(piece);
}

}  // namespace quadrille::projection
