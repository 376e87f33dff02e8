// SPDX-License-Identifier: BSD-3-Clause
// A read-only hash map with MPI handles as keys, for predefined datatypes and operators.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "foundation/hash.hpp"

namespace quadrille::mpi_face {

// The bits of an MPI handle, which may be a pointer or an int.
template <class Handle>
std::uint64_t bits_of(Handle handle) {
  static_assert(sizeof(Handle) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

// Returns a hash of a handle. Its lower bits serve as an index.
template <class Handle>
std::uint64_t hash_of(Handle handle) {
  return spread(bits_of(handle)) >> 20;
}

// A hash map from handles to values that is filled once and then only read; a look-up takes a few nanoseconds. If a handle is added
// twice, its first value stays.
template <class Handle, class Value>
class HandleMap {
 public:
  explicit HandleMap(std::vector<std::pair<Handle, Value>> entries) : slots_(std::bit_ceil(4 * entries.size() + 1)) {
    for (auto& [handle, value] : entries) {
      Slot* slot = find_slot(handle);
      if (!slot->used) *slot = {true, handle, std::move(value)};
    }
  }

  const Value* find(Handle handle) const {
    const Slot* slot = const_cast<HandleMap*>(this)->find_slot(handle);
    return slot->used ? &slot->value : nullptr;
  }

 private:
  struct Slot {
    bool used = false;
    Handle handle{};
    Value value{};
  };

  Slot* find_slot(Handle handle) {
    std::size_t at = hash_of(handle) & (slots_.size() - 1);
    while (slots_[at].used && slots_[at].handle != handle) at = (at + 1) & (slots_.size() - 1);
    return &slots_[at];
  }

  std::vector<Slot> slots_;
};

}  // namespace quadrille::mpi_face
