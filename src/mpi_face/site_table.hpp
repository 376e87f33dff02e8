// SPDX-License-Identifier: BSD-3-Clause
// A hash table of a communicator's sites, with open addressing, so that a look-up touches few cache lines: a program that cycles
// through a thousand sizes needs one in each call.
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
  Site& operator[](std::size_t number) const { return *sites_[number]; }

  // Returns the first site with this hash that `is_it` accepts, or null.
  template <class IsIt>
  Site* find(std::uint64_t hash, const IsIt& is_it) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = hash & mask(); slots_[at].site; at = (at + 1) & mask())
      if (slots_[at].hash == hash && is_it(*slots_[at].site)) return slots_[at].site;
    return nullptr;
  }

  // The site's address never changes.
  Site* add(std::uint64_t hash) {
    sites_.push_back(std::make_unique<Site>());
    sites_.back()->number = static_cast<std::uint32_t>(sites_.size() - 1);
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
  std::vector<Slot> slots_;  // their number is a power of two
};

}  // namespace quadrille::mpi_face
