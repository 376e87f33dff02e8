// SPDX-License-Identifier: BSD-3-Clause
// Large blocks of the program in the heap that this process shares with others (execute/shared/memory/shared_file.hpp), so that
// messages from and to them are copied once.
#pragma once

#include <cstddef>

#include "execute/shared/memory/program_heap.hpp"

namespace quadrille::heap {

using quadrille::least_large;
constexpr std::size_t page = 4096;

// These return null if the heap is off, in a forked child, or if there is no room: take the memory elsewhere then.
void* take_large(std::size_t bytes, bool is_zero = false) noexcept;

bool is_large(const void* memory) noexcept;

// For blocks of take_large. They may be called in a forked child, too.
void release_large(void* memory) noexcept;
std::size_t size_of_large(const void* memory) noexcept;

// Shortens or lengthens a block, and may move it. Returns null if there is no room; then the block stays as it is. `bytes` is at
// least least_large.
void* resize_large(void* memory, std::size_t bytes) noexcept;

}  // namespace quadrille::heap
