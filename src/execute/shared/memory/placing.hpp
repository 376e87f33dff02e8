// SPDX-License-Identifier: BSD-3-Clause
// Lays objects out in shared memory, one kind after the other. Each kind begins on a cache line of its own.
#pragma once

#include <cstddef>

#include "foundation/arithmetic.hpp"

namespace quadrille {

template <class Object>
Bytes placed_bytes(Count count) {
  return rounded_up(count * static_cast<Bytes>(sizeof(Object)), Bytes{64});
}

// Returns where the objects lie, and moves `at` behind them. It does not initialise them.
template <class Object>
Object* place(std::byte*& at, Count count) {
  auto* const first = reinterpret_cast<Object*>(at);
  at += placed_bytes<Object>(count);
  return first;
}

}  // namespace quadrille
