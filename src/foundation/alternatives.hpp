// SPDX-License-Identifier: BSD-3-Clause
// The words among which a user may choose, as a part of a sentence.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string>

namespace quadrille {

// Returns "a, b or c" for a list of texts that is not empty.
template <class Words>
std::string alternatives(const Words& words) {
  const auto last = std::prev(std::end(words));
  if (std::begin(words) == last) return std::string(*last);
  return fmt::format("{} or {}", fmt::join(std::begin(words), last, ", "), *last);
}

}  // namespace quadrille
