// SPDX-License-Identifier: BSD-3-Clause
// Memory that is filled from its beginning. When it is full, it grows at the end of scratch memory. Several areas share
// one scratch memory. An area keeps all runs of memory that it ever had, so that it can be filled again.
#pragma once

#include <optional>

#include "quadrille/schedule.hpp"

namespace quadrille {

class GrowingArea {
 public:
  GrowingArea() = default;
  explicit GrowingArea(const Region& first);  // the first run: contiguous, may be empty

  void clear() { used_ = 0; }

  // Reserves `length` more bytes and returns their offset within the area. If the area is full, it grows, and so does
  // `scratch`, the size of scratch memory so far. Throws Error{too_large} if a size reaches 2^63 bytes.
  Bytes take(Bytes length, Bytes& scratch);

  // Appends to `regions` the memory of bytes [offset, offset + length) of the area.
  void append_to(Regions& regions, Bytes offset, Bytes length) const;

  // Returns the offset in scratch memory at which the next bytes will lie, if they will be contiguous for any length
  // because no other memory lies behind them. Returns nothing otherwise.
  std::optional<Bytes> open_end(Bytes scratch) const;

 private:
  Regions runs_;
  Bytes size_ = 0, used_ = 0;
};

}  // namespace quadrille
