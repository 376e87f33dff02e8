// SPDX-License-Identifier: BSD-3-Clause
// Parts of the sentences that algorithms say of their rounds (Algorithm::says). tests/collectives/saying_test.cpp finds each number
// in a sentence by the words around it, and compares it with the messages of the round.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "collectives/shares.hpp"
#include "foundation/text/wording.hpp"
#include "patterns/covers.hpp"
#include "patterns/integers.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// "1 block" or "1 share", with the collective's word.
inline std::string counted_shares(const Problem& problem, Count count) { return counted(count, share_word(problem.collective)); }

// All p - 1 messages of a rank leave in one round.
inline std::string says_straight_to_all(const Problem& problem, std::string_view what) {
  return fmt::format("Every rank sends {} straight to each other rank: {} from every rank", what,
                     counted(problem.ranks - 1, "message"));
}

// Partners i and i ^ 2^bit.
inline std::string says_swap(std::string_view what, Count bit) {
  return fmt::format("Every rank swaps {} with the rank whose number differs in bit {}", what, bit);
}

// Of broadcasts and reductions down or up a binomial tree: how many ranks send at a level.
inline Count senders_at_level(Count ranks, Count level) {
  const Count step = Count{1} << level;
  return ceil_divide(std::max<Count>(ranks - step, 0), 2 * step);
}

// Of gather_by_skips and, if it combines, of its reverse. `step` counts from the shortest skip.
inline std::string says_skip(Count ranks, Count step, bool is_combining, std::string_view word) {
  const Cover skips = halving_cover(ranks);
  const auto k = static_cast<std::size_t>(step);
  const std::string count = counted(skips.at(k + 1) - skips[k], word);
  if (!is_combining) return fmt::format("Every rank sends {} to the rank {} back", count, skips[k]);
  return fmt::format("Every rank sends its partial results for {} to the rank {} further, which combines its own with them", count,
                     skips[k]);
}

}  // namespace quadrille
