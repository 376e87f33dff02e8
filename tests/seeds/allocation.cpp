// SPDX-License-Identifier: BSD-3-Clause
// Where memory lies within a page decides how the engine copies (execute/processor.hpp). So long blocks begin at the same place of
// a page in all runs, whatever was allocated before.
#include <cstddef>
#include <cstdlib>
#include <new>

#if !defined(__SANITIZE_ADDRESS__)  // which has its own allocator
extern "C" {
void* __real_malloc(std::size_t);
void __real_free(void*);
}

namespace {

constexpr std::size_t page = 4096, long_block = 1024, place_of_long = 64, header = 16;

void* allocated(std::size_t bytes) {
  const bool is_long = bytes >= long_block;
  void* const base =
      is_long ? std::aligned_alloc(page, (bytes + place_of_long + page - 1) / page * page) : __real_malloc(bytes + header);
  if (!base) throw std::bad_alloc();
  auto* const memory = static_cast<std::byte*>(base) + (is_long ? place_of_long : header);
  *reinterpret_cast<void**>(memory - header) = base;
  return memory;
}

void release(void* memory) {
  if (memory) __real_free(*reinterpret_cast<void**>(static_cast<std::byte*>(memory) - header));
}

}  // namespace

void* operator new(std::size_t bytes) { return allocated(bytes); }
void* operator new[](std::size_t bytes) { return allocated(bytes); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
#endif
