// SPDX-License-Identifier: BSD-3-Clause
// Random disturbances of a simulation, drawn from a seed. They are the same on every machine and do not depend on the
// order in which they are requested.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "foundation/hash.hpp"
#include "quadrille/picoseconds.hpp"

namespace quadrille {

// Lengthens each time by a random part of itself. The part is uniformly distributed from 0 to `share`.
class Jitter {
 public:
  Jitter(std::uint64_t seed, double share) : seed_(mixed(seed)), share_(share) {}

  // Lengthens one of the times of a message. `number` is the number of the message among the messages that the rank sends, or
  // receives. `which` is the number of the time within the message.
  Picoseconds operator()(Picoseconds time, std::uint64_t rank, std::uint64_t number, std::uint64_t which) const {
    if (share_ == 0) return time;
    const double drawn = static_cast<double>(mixed(seed_ ^ mixed(rank << 32 ^ mixed(4 * number + which))) >> 11) * 0x1p-53;
    return add_times(time, whole_units(static_cast<double>(time) * share_ * drawn));
  }

 private:
  std::uint64_t seed_;
  double share_;
};

// Returns `some` different numbers below `all`, drawn uniformly, in ascending order.
inline std::vector<std::size_t> drawn(std::uint64_t seed, std::size_t some, std::size_t all) {
  std::vector<std::size_t> numbers(all);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  for (std::size_t i = 0; i < some; ++i) std::swap(numbers[i], numbers[i + mixed(seed ^ mixed(i)) % (all - i)]);
  numbers.resize(some);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace quadrille
