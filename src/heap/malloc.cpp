// SPDX-License-Identifier: BSD-3-Clause
// libquadrille-heap: the functions of malloc. Large blocks come from the heap that this process shares, all others from the next
// malloc. An address tells whose a block is.
#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "heap/large_blocks.hpp"
#include "heap/next_malloc.hpp"

using quadrille::heap::is_large;
using quadrille::heap::least_large;
using quadrille::heap::next_malloc;
using quadrille::heap::page;
using quadrille::heap::release_large;
using quadrille::heap::resize_large;
using quadrille::heap::size_of_large;
using quadrille::heap::take_large;

namespace {

// Returns null also for alignments that large blocks do not have.
void* take_aligned(std::size_t alignment, std::size_t bytes) noexcept {
  return bytes >= least_large && alignment <= page && std::has_single_bit(alignment) ? take_large(bytes) : nullptr;
}

void* out_of_memory() noexcept {
  errno = ENOMEM;
  return nullptr;
}

// Moves a block of the heap to the next malloc.
void* move_out(void* memory, std::size_t bytes) noexcept {
  void* const moved = next_malloc().malloc(bytes);
  if (!moved) return nullptr;
  std::memcpy(moved, memory, std::min(bytes, size_of_large(memory)));
  release_large(memory);
  return moved;
}

// A block of the next malloc that becomes large moves into the heap. One that was large already stays: moving it may take long.
void* move_in(void* memory, std::size_t bytes) noexcept {
  const std::size_t held = next_malloc().malloc_usable_size(memory);
  void* const moved = held < least_large ? take_large(bytes) : nullptr;
  if (!moved) return next_malloc().realloc(memory, bytes);
  std::memcpy(moved, memory, held);
  next_malloc().free(memory);
  return moved;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
  if (bytes >= least_large) [[unlikely]]
    if (void* const memory = take_large(bytes)) return memory;
  return next_malloc().malloc(bytes);
}

void* calloc(std::size_t count, std::size_t each) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return out_of_memory();
  if (bytes >= least_large) [[unlikely]]
    if (void* const memory = take_large(bytes, true)) return memory;
  return next_malloc().calloc(count, each);
}

void free(void* memory) noexcept {
  if (memory && is_large(memory)) [[unlikely]]
    release_large(memory);
  else
    next_malloc().free(memory);
}

void* realloc(void* memory, std::size_t bytes) noexcept {
  if (!memory) return malloc(bytes);
  if (!is_large(memory)) return bytes >= least_large ? move_in(memory, bytes) : next_malloc().realloc(memory, bytes);
  if (bytes == 0) {
    release_large(memory);
    return nullptr;
  }
  void* const resized = bytes >= least_large ? resize_large(memory, bytes) : nullptr;
  return resized ? resized : move_out(memory, bytes);
}

void* reallocarray(void* memory, std::size_t count, std::size_t each) noexcept {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(count, each, &bytes) ? out_of_memory() : realloc(memory, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  void* const taken = alignment % sizeof(void*) == 0 ? take_aligned(alignment, bytes) : nullptr;
  if (!taken) return next_malloc().posix_memalign(memory, alignment, bytes);
  *memory = taken;
  return 0;
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  void* const memory = take_aligned(alignment, bytes);
  return memory ? memory : next_malloc().aligned_alloc(alignment, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  void* const memory = take_aligned(alignment, bytes);
  return memory ? memory : next_malloc().memalign(alignment, bytes);
}

void* valloc(std::size_t bytes) noexcept { return memalign(page, bytes); }

void* pvalloc(std::size_t bytes) noexcept {
  return bytes > std::numeric_limits<std::size_t>::max() - page
             ? out_of_memory()
             : memalign(page, (std::max<std::size_t>(bytes, 1) + page - 1) / page * page);
}

std::size_t malloc_usable_size(void* memory) noexcept {
  return memory && is_large(memory) ? size_of_large(memory) : next_malloc().malloc_usable_size(memory);
}

}  // extern "C"
