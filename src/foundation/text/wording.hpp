// SPDX-License-Identifier: BSD-3-Clause
// Parts of sentences: numbers with the thing that they count, words to choose among, sizes in bytes, and suggestions.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <concepts>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// Returns "1 rank", "2 ranks". The plural of `thing` must end with an s.
std::string counted(std::integral auto count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// Returns "a, b or c" for the words among which a user may choose. There must be at least one.
template <class Words>
std::string alternatives(const Words& words) {
  const auto last = std::prev(std::end(words));
  if (std::begin(words) == last) return std::string(*last);
  return fmt::format("{} or {}", fmt::join(std::begin(words), last, ", "), *last);
}

// Sizes in bytes as text.
struct ByteUnit {
  std::string_view name = "B";
  Bytes bytes = 1;
};

// Returns the largest of B, KiB, MiB, GiB and TiB that divides all `sizes`, so that each prints exactly; B if all are 0.
ByteUnit common_unit(std::span<const Bytes> sizes);

std::string bytes_text(Bytes bytes, const ByteUnit& unit);  // in the given unit: "1920 B"
std::string bytes_text(Bytes bytes);                        // in the largest unit that divides it: "8 B", "64 KiB", "1000 B"

// Returns the entry of `known` with the least edit distance to `word`; of several, the first. Returns nothing if the distance is
// too large for a typing error: if it is more than 2 and more than a third of the entry's length or, with different first
// letters, more than a quarter of that length.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// Returns the end of the sentence that refuses `word`: "did you mean 'X'?" with the nearest word, or else `otherwise`.
std::string guess_or(std::string_view word, const std::vector<std::string>& known, std::string_view otherwise);

// The same, with a list of all words instead of `otherwise`: "there are: A, B", or "there are: none".
std::string guess_or_list(std::string_view word, const std::vector<std::string>& known);

}  // namespace quadrille
