// SPDX-License-Identifier: BSD-3-Clause
#include "flow/parts.hpp"

#include <algorithm>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

bool spreads_blocks(Collective collective) {
  return collective == Collective::allgather || collective == Collective::allgatherv || collective == Collective::broadcast;
}

std::vector<BlockPart> parts_of_blocks(const Problem& problem, Count segments) {
  std::vector<BlockPart> blocks;
  const bool spreads = spreads_blocks(problem.collective);
  for (Rank to = 0; to < problem.ranks; ++to)
    for (const ExpectedPiece& piece : expected_output(problem, to)) {
      if (piece.length == 0 || piece.first == to) continue;
      // If all ranks need a block, the first rank that needs it lists it for all.
      if (spreads && to != (piece.first == 0 ? 1 : 0)) continue;
      blocks.push_back(
          {piece.first, spreads ? std::nullopt : std::optional<Rank>(to), piece.input_offset, piece.offset, piece.length, {}});
    }
  Bytes sum = 0;
  for (const BlockPart& block : blocks) sum += block.length;
  const Bytes unit = blocks.empty() ? 1 : ceil_divide(ceil_divide(sum, static_cast<Count>(blocks.size())), segments);
  constexpr Count most_parts = Count{1} << 22;
  if (sum / unit + size(blocks) > most_parts)
    throw Error(ErrorCode::too_large, "a flow divides the blocks into at most four million parts; name fewer segments or ranks");
  std::vector<BlockPart> parts;
  for (const BlockPart& block : blocks) {
    const Count count = ceil_divide(block.length, unit);
    // Cuts at multiples of 8 bytes are faster to copy, if parts are long.
    const Bytes grain = block.length / count >= 512 ? 8 : 1;
    const auto cut = [&](Count i) { return (block.length / count * i + std::min(i, block.length % count)) / grain * grain; };
    for (Count i = 0; i < count; ++i) {
      const Bytes first = cut(i), end = i + 1 == count ? block.length : cut(i + 1);
      BlockPart part = block;
      part.input_offset += first, part.output_offset += first, part.length = end - first;
      if (part.length > 0) parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace quadrille
