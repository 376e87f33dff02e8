// SPDX-License-Identifier: BSD-3-Clause
// Records whether the program has called any collective through the preloaded library.
#pragma once

#include <atomic>

namespace quadrille::mpi_face {

// Defined only in the preloaded library.
[[gnu::visibility("hidden")]] extern std::atomic<bool> collective_seen;

[[gnu::visibility("hidden")]] void see_first_collective();

inline void see_collective() {
  if (!collective_seen.load(std::memory_order_relaxed)) [[unlikely]]
    see_first_collective();
}

}  // namespace quadrille::mpi_face
