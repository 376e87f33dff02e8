// SPDX-License-Identifier: BSD-3-Clause
// Has the program called any collective through the preloaded library?
#pragma once

#include <atomic>

namespace quadrille::mpi_face {

// In the preloaded library alone.
[[gnu::visibility("hidden")]] extern std::atomic<bool> collective_seen;

inline void see_collective() { collective_seen.store(true, std::memory_order_relaxed); }

}  // namespace quadrille::mpi_face
