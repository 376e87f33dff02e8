// SPDX-License-Identifier: BSD-3-Clause
// The sites of a communicator by the hash of their keys: open addressing, so that finding one touches few cache lines. A program
// that uses a thousand sizes in turn looks here at each call.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_face/site.hpp"

namespace quadrille::mpi_face {

class SiteTable {
 public:
  std::size_t size() const { return sites_.size(); }

  // The first with this hash that `is_it` accepts; null where none is.
  template <class IsIt>
  Site* find(std::uint64_t hash, const IsIt& is_it) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = hash & mask(); slots_[at].site; at = (at + 1) & mask())
      if (slots_[at].hash == hash && is_it(*slots_[at].site)) return slots_[at].site;
    return nullptr;
  }

  // It stays where it is.
  Site* add(std::uint64_t hash) {
    sites_.push_back(std::make_unique<Site>());
    if (2 * sites_.size() > slots_.size()) grow();
    place({hash, sites_.back().get()});
    return sites_.back().get();
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    Site* site = nullptr;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  void place(Slot slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].site) at = (at + 1) & mask();
    slots_[at] = slot;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.site) place(slot);
  }

  std::vector<std::unique_ptr<Site>> sites_;
  std::vector<Slot> slots_;  // a power of two
};

}  // namespace quadrille::mpi_face
