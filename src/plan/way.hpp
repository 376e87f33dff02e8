// SPDX-License-Identifier: BSD-3-Clause
// Ways (execute.hpp) in other forms: adapted to other problems than the measured ones, and as messages between ranks. All ranks
// run the same library, so the place of an algorithm in its table identifies it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "quadrille/execute.hpp"

namespace quadrille {

// Returns a way that was measured for a problem of another size, with all its parameters for `problem`; nothing if its algorithm
// does not apply to `problem`, or if a value is out of range.
std::optional<Way> way_for(const Problem& problem, Way way);

struct PackedWay {
  static constexpr std::uint16_t vendor = 0xFFFF;  // in place of the number of an algorithm

  std::uint16_t algorithm = 0;  // its place in all_algorithms()
  Policy policy{};
  Executor executor{};
  std::uint8_t buffers = 2;
  bool keep_step = false;
  std::uint8_t length = 0;  // how many of the values are used
  // The values of the algorithm's parameters, in the order of its record; for the vendor's collective, the name of its algorithm.
  std::array<std::uint8_t, 121> values{};
};
static_assert(std::is_trivially_copyable_v<PackedWay> && sizeof(PackedWay) == 128);

// Returns nothing if the way is a family, if its algorithm is not in the table, or if its values are too long.
std::optional<PackedWay> packed(const Way& way);

// Returns nothing if no way is packed like this.
std::optional<Way> unpacked(const PackedWay& packed);

}  // namespace quadrille
