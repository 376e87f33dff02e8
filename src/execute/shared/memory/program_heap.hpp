// SPDX-License-Identifier: BSD-3-Clause
// Whether large allocations of the program may come from the heap that this process shares (src/heap). The preloaded library asks
// for its own process, and the command for the processes that it starts.
#pragma once

#include <cstddef>
#include <string>

namespace quadrille {

constexpr std::size_t least_large = 65536;  // bytes of the shortest allocations that come from the heap

constexpr const char* heap_variable = "QUADRILLE_HEAP";

// Does libquadrille-heap define this process's malloc?
bool has_program_heap();

// Returns why not, as a sentence without a full stop; empty: they may. Reads QUADRILLE_HEAP.
std::string why_no_program_heap();

}  // namespace quadrille
