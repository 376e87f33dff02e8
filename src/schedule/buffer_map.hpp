// SPDX-License-Identifier: BSD-3-Clause
// Maps the regions of one buffer to the memory where the bytes of that buffer lie.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

class BufferMap {
 public:
  BufferMap() = default;  // of a buffer that has no bytes
  // The bytes of the buffer are the bytes of `places`, in this order. Throws Error{too_large} on overflow.
  explicit BufferMap(Regions places);

  Bytes size() const { return starts_.back(); }
  const Regions& places() const { return places_; }

  // Returns where the bytes of a region lie, in the order of its bytes. The region's `buffer` does not matter. A region stays one
  // region where the mapping moves its runs by equal distances; otherwise the result has an entry for each run, or for several
  // runs of equal length and distance.
  Regions operator()(const Region& region) const;

 private:
  Regions places_;                // none is empty
  std::vector<Bytes> starts_{0};  // offset in the buffer of each place; then the size
};

// Appends the region, or a repetition of the last entry if the region continues its pattern of equal lengths and distances.
void append_folded(Regions& regions, const Region& region);

// Do both lists have the same bytes in the same order?
bool are_same_bytes(const Regions& some, const Regions& others);

}  // namespace quadrille
