// SPDX-License-Identifier: BSD-3-Clause
#include "heap/next_malloc.hpp"

#include <dlfcn.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>

// The C library's own functions by their other names.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void __libc_free(void*);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace quadrille::heap {
namespace {

// What dlsym calls while it looks: some versions of the C library keep a small block for each thread there.
constexpr NextMalloc while_looking{
    .malloc = __libc_malloc,
    .calloc = __libc_calloc,
    .realloc = __libc_realloc,
    .free = __libc_free,
    .posix_memalign = nullptr,
    .aligned_alloc = __libc_memalign,
    .memalign = __libc_memalign,
    .malloc_usable_size = nullptr,
};

NextMalloc found;
std::atomic<const NextMalloc*> current{nullptr};

template <class Function>
void look_for(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
  if (!function) std::abort();
}

// The first allocation of a process comes before it has threads, so one thread looks.
const NextMalloc& look() {
  current.store(&while_looking, std::memory_order_relaxed);
  look_for(found.malloc, "malloc");
  look_for(found.calloc, "calloc");
  look_for(found.realloc, "realloc");
  look_for(found.free, "free");
  look_for(found.posix_memalign, "posix_memalign");
  look_for(found.aligned_alloc, "aligned_alloc");
  look_for(found.memalign, "memalign");
  look_for(found.malloc_usable_size, "malloc_usable_size");
  current.store(&found, std::memory_order_release);
  return found;
}

}  // namespace

const NextMalloc& next_malloc() {
  const NextMalloc* const next = current.load(std::memory_order_acquire);
  return next ? *next : look();
}

}  // namespace quadrille::heap
