// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/ring_kernel.hpp"

#include <algorithm>

#include "foundation/assert.hpp"

namespace quadrille::ring_kernel {
namespace {

// Distances first, first + step, .. that are less than half the ring.
Departure from_distance(Count first, Count step, Count size, bool antipode) {
  const Count below = (size + 1) / 2;
  return {first, first < below ? (below - first + step - 1) / step : 0, step, antipode};
}

Departure simple(Count size, Count step) { return from_distance(step + 1, 1, size, size % 2 == 0); }

Departure alternating(Antipode rule, Count size, Count position, Count step, int direction) {
  QUADRILLE_ASSERT(size % 2 == 0 && (rule == Antipode::by_target || size % 4 == 2));
  // The side to which ranks of this parity send first. Blocks for this rank that start half a ring away travel in this direction,
  // too.
  const int early_side = position % 2 == 0 ? 1 : -1;
  const bool shared = rule == Antipode::shared;
  if (step == 0) return from_distance(1, 2, size, size % 4 == 2 && (shared || direction != early_side));
  const Count early_steps = size / 4;
  const bool early = step <= early_steps;
  if (early != (direction == early_side)) return {};
  return from_distance(2 * (early ? step : step - early_steps), 1, size, early || shared);
}

}  // namespace

Count steps(Kernel, Count size) { return size / 2; }

Count links(Kernel kernel, Count step) { return kernel == Kernel::alternating && step > 0 ? 2 : 1; }

std::optional<Departure> departure(Kernel kernel, Antipode antipode, Count size, Count position, Count step, int direction) {
  if (step >= steps(kernel, size)) return std::nullopt;
  const Departure found = kernel == Kernel::simple ? simple(size, step) : alternating(antipode, size, position, step, direction);
  if (found.count == 0 && !found.antipode) return std::nullopt;
  return found;
}

}  // namespace quadrille::ring_kernel
