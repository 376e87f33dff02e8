// SPDX-License-Identifier: BSD-3-Clause
// A read-only hash map with MPI handles as keys, for predefined datatypes and operators.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "foundation/hash.hpp"
#include "foundation/lookup.hpp"

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

// A hash map from handles to values that is filled once and then only read. Finding a value takes a nanosecond or two. If a
// handle is added twice, its first value stays.
template <class Handle, class Value>
class HandleMap {
 public:
  using Entry = std::pair<Handle, Value>;

  explicit HandleMap(std::vector<Entry> entries) {
    for (Entry& entry : entries)
      if (!find(entry.first)) table_.add(hash_of(entry.first), std::make_unique<Entry>(std::move(entry)));
  }

  const Value* find(Handle handle) const {
    const Entry* const entry = table_.find(hash_of(handle), [&](const Entry& each) { return each.first == handle; });
    return entry ? &entry->second : nullptr;
  }

 private:
  HashTable<Entry> table_;
};

}  // namespace quadrille::mpi_face
