// SPDX-License-Identifier: BSD-3-Clause
#include "tune/race/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace quadrille {

Labels::Labels(const Problem& problem, Rank rank) : problem_(problem), rank_(rank), expected_(expected_output(problem, rank)) {
  // In regular collectives all inputs have the same length. Otherwise, find the longest.
  if (is_irregular(problem.collective) || is_rooted(problem.collective))
    for (Rank other = 0; other < problem.ranks; ++other) longest_input_ = std::max(longest_input_, input_bytes(problem, other));
  else
    longest_input_ = input_bytes(problem, rank);
  const auto label_count = static_cast<std::uint64_t>(problem.ranks) * static_cast<std::uint64_t>(longest_input_);
  pass_count_ = std::max(1, (static_cast<int>(std::bit_width(label_count)) + 7) / 8);
}

std::byte Labels::label(int pass, Rank rank, Bytes offset) const {
  return static_cast<std::byte>((rank * longest_input_ + offset) >> (8 * pass));
}

void Labels::fill_input(int pass, std::byte* input) const {
  const Bytes length = input_bytes(problem_, rank_);
  for (Bytes i = 0; i < length; ++i) input[i] = label(pass, rank_, i);
}

void Labels::spoil_output(int pass, std::byte* output) const {
  for (const ExpectedPiece& piece : expected_)
    for (Bytes i = 0; i < piece.length; ++i) output[piece.offset + i] = ~label(pass, piece.first, piece.input_offset + i);
}

std::string Labels::compare_output(int pass, const std::byte* output) const {
  for (const ExpectedPiece& piece : expected_)
    for (Bytes i = 0; i < piece.length; ++i)
      if (output[piece.offset + i] != label(pass, piece.first, piece.input_offset + i))
        return fmt::format("rank {}: byte {} of the output should come from rank {}, byte {} of its input", rank_, piece.offset + i,
                           piece.first, piece.input_offset + i);
  return "";
}

}  // namespace quadrille
