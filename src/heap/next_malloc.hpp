// SPDX-License-Identifier: BSD-3-Clause
// The functions that this library hides: those of the C library, or of another preloaded library.
#pragma once

#include <cstddef>

namespace quadrille::heap {

struct NextMalloc {
  void* (*malloc)(std::size_t);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void (*free)(void*);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  std::size_t (*malloc_usable_size)(void*);
};

// The first call looks for the functions.
const NextMalloc& next_malloc();

}  // namespace quadrille::heap
