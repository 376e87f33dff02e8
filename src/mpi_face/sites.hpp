// SPDX-License-Identifier: BSD-3-Clause
// The sites of a communicator, found from a call.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "foundation/hash_table.hpp"
#include "mpi_face/recent_call.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/site.hpp"

namespace quadrille::mpi_face {

class Sites {
 public:
  explicit Sites(Count ranks) : ranks_(ranks) {}

  // The entry of the table of recent calls where a call with this signature belongs. It may hold a call with another signature.
  [[gnu::hot]] RecentCall& recent(const MpiCall& call);

  // Returns the site of the calls with this signature; null if it is not known.
  Site* known(const MpiCall& call) const {
    const KnownCall* const known =
        known_.find(CallSignature::hash_of(call), [&](const auto& each) { return each.signature.is_of(call); });
    return known ? known->site : nullptr;
  }
  // Makes it known. Its signature can be kept, and is not known yet.
  void know(const MpiCall& call, Site& site);

  // Returns the key of the call's site; nothing if the operator or its type is not one that our algorithms can combine.
  std::optional<Key> key_of(const MpiCall& call, const Shape& shape) const;

  // Finds or makes the site; null if there are too many.
  Site* of(const Key& key, const MpiCall& call, const Shape& shape);

  // Makes a site for a function whose calls are all alike (is_exchanged); null if there are too many.
  Site* make(const Key& key);

  std::size_t size() const { return table_.values().size(); }
  Site& operator[](std::size_t number) const { return *table_.values()[number]; }

 private:
  struct alignas(64) KnownCall {  // a cache line
    CallSignature signature;
    Site* site = nullptr;
  };

  const Count ranks_;
  HashTable<Site> table_;
  HashTable<KnownCall> known_;
  Site* last_ = nullptr;
  std::unique_ptr<std::array<RecentCall, 16>> recent_;  // indexed by a hash of function and count
};

}  // namespace quadrille::mpi_face
