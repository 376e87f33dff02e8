// SPDX-License-Identifier: BSD-3-Clause
// What the compiler's thread instrumentation calls for each access of the engine's objects to memory. Here it is the simulated
// memory that answers. The functions' names and arguments are the compiler's. Accesses to memory that ranks do not share go to the
// memory itself.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "seeds/coverage.hpp"
#include "seeds/memory.hpp"

namespace quadrille::seeds {

void (*before_each_store)() = nullptr;

namespace {

bool is_simulated(const volatile void* memory) { return Memory::is_shared(memory) && Fibres::current() != nullptr; }

void read(const void* memory, std::size_t bytes, const void* place) {
  if (is_simulated(memory)) Memory::current()->read(Fibres::current()->rank(), memory, bytes, place);
}

void note_store() {
  if (before_each_store) [[unlikely]]
    before_each_store();
}

void write(const void* memory, std::size_t bytes, const void* place) {
  note_store();
  if (is_simulated(memory)) Memory::current()->write(Fibres::current()->rank(), memory, bytes, place);
}

template <class T>
T load(const volatile T* memory, int order, const void* place) {
  note_reached(place);
  if (!is_simulated(memory)) return __atomic_load_n(memory, __ATOMIC_SEQ_CST);
  return static_cast<T>(Memory::current()->load(memory, sizeof(T), Order{order}, place));
}

template <class T>
void store(volatile T* memory, T value, int order, const void* place) {
  note_store();
  note_reached(place);
  if (!is_simulated(memory)) return __atomic_store_n(memory, value, __ATOMIC_SEQ_CST);
  Memory::current()->store(memory, sizeof(T), value, Order{order}, place);
}

template <class T, class Change>
T modify(volatile T* memory, T operand, int order, const void* place, Change) {
  note_store();
  note_reached(place);
  if (!is_simulated(memory)) {
    T before = __atomic_load_n(memory, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(memory, &before, static_cast<T>(Change{}(before, operand)), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {}
    return before;
  }
  const auto change = [](std::uint64_t before, std::uint64_t with) {
    return static_cast<std::uint64_t>(static_cast<T>(Change{}(static_cast<T>(before), static_cast<T>(with))));
  };
  return static_cast<T>(Memory::current()->modify(memory, sizeof(T), change, operand, Order{order}, place));
}

template <class T>
int compare_exchange(volatile T* memory, T* expected, T desired, int success, int failure, bool is_weak, const void* place) {
  note_reached(place);
  if (!is_simulated(memory))
    return __atomic_compare_exchange_n(memory, expected, desired, is_weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  std::uint64_t before = *expected;
  const bool done =
      Memory::current()->compare_exchange(memory, sizeof(T), before, desired, Order{success}, Order{failure}, is_weak, place);
  if (!done) *expected = static_cast<T>(before);
  return done;
}

}  // namespace
}  // namespace quadrille::seeds

#define PLACE __builtin_return_address(0)
using namespace quadrille::seeds;

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** memory, void*) { write(memory, sizeof(void*), PLACE); }
void __tsan_read_range(void* memory, std::size_t bytes) { read(memory, bytes, PLACE); }
void __tsan_write_range(void* memory, std::size_t bytes) { write(memory, bytes, PLACE); }

#define QUADRILLE_PLAIN(bytes)                                                    \
  void __tsan_read##bytes(void* memory) { read(memory, bytes, PLACE); }           \
  void __tsan_write##bytes(void* memory) { write(memory, bytes, PLACE); }         \
  void __tsan_unaligned_read##bytes(void* memory) { read(memory, bytes, PLACE); } \
  void __tsan_unaligned_write##bytes(void* memory) { write(memory, bytes, PLACE); }
QUADRILLE_PLAIN(1)
QUADRILLE_PLAIN(2)
QUADRILLE_PLAIN(4)
QUADRILLE_PLAIN(8)
QUADRILLE_PLAIN(16)

#define QUADRILLE_MODIFY(bits, name, expression)                                                                                 \
  std::uint##bits##_t __tsan_atomic##bits##_##name(volatile std::uint##bits##_t* memory, std::uint##bits##_t value, int order) { \
    return modify(memory, value, order, PLACE,                                                                                   \
                  [](auto before, auto with) { return static_cast<std::uint##bits##_t>(expression); });                          \
  }
#define QUADRILLE_ATOMIC(bits)                                                                                           \
  std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t* memory, int order) {                \
    return load(memory, order, PLACE);                                                                                   \
  }                                                                                                                      \
  void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* memory, std::uint##bits##_t value, int order) {         \
    store(memory, value, order, PLACE);                                                                                  \
  }                                                                                                                      \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile std::uint##bits##_t* memory, std::uint##bits##_t* expected, \
                                                    std::uint##bits##_t desired, int success, int failure) {             \
    return compare_exchange(memory, expected, desired, success, failure, false, PLACE);                                  \
  }                                                                                                                      \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile std::uint##bits##_t* memory, std::uint##bits##_t* expected,   \
                                                  std::uint##bits##_t desired, int success, int failure) {               \
    return compare_exchange(memory, expected, desired, success, failure, true, PLACE);                                   \
  }                                                                                                                      \
  QUADRILLE_MODIFY(bits, exchange, (static_cast<void>(before), with))                                                    \
  QUADRILLE_MODIFY(bits, fetch_add, before + with)                                                                       \
  QUADRILLE_MODIFY(bits, fetch_sub, before - with)                                                                       \
  QUADRILLE_MODIFY(bits, fetch_and, before& with)                                                                        \
  QUADRILLE_MODIFY(bits, fetch_or, before | with)                                                                        \
  QUADRILLE_MODIFY(bits, fetch_xor, before ^ with)
QUADRILLE_ATOMIC(8)
QUADRILLE_ATOMIC(16)
QUADRILLE_ATOMIC(32)
QUADRILLE_ATOMIC(64)

void __tsan_atomic_thread_fence(int) {
  if (!Fibres::current()) return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  note_reached(PLACE);
  Memory::current()->fence(PLACE);
}
void __tsan_atomic_signal_fence(int) { note_reached(PLACE); }

// Error paths of the engine.
[[noreturn]] void __real___cxa_throw(void*, void*, void (*)(void*));
[[noreturn]] void __wrap___cxa_throw(void* exception, void* type, void (*destroy)(void*)) {
  note_reached(PLACE);
  __real___cxa_throw(exception, type, destroy);
}

// The linker's --wrap replaces the C library's functions in the engine's objects.
void* __real_memcpy(void*, const void*, std::size_t);
void* __real_memmove(void*, const void*, std::size_t);
void* __real_memset(void*, int, std::size_t);
void* __wrap_memcpy(void* target, const void* source, std::size_t bytes) {
  if (is_simulated(source) || is_simulated(target)) Fibres::current()->copy(bytes, PLACE);
  read(source, bytes, PLACE), write(target, bytes, PLACE);
  return __real_memcpy(target, source, bytes);
}
void* __wrap_memmove(void* target, const void* source, std::size_t bytes) {
  read(source, bytes, PLACE), write(target, bytes, PLACE);
  return __real_memmove(target, source, bytes);
}
void* __wrap_memset(void* target, int value, std::size_t bytes) {
  write(target, bytes, PLACE);
  return __real_memset(target, value, bytes);
}
}
