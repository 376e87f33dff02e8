// SPDX-License-Identifier: BSD-3-Clause
// Memory that fills from its begin, and goes on at the end of scratch memory where it is full. Several areas share one scratch
// memory, and each keeps what it once had, so that it can be filled again.
#pragma once

#include <optional>

#include "quadrille/schedule.hpp"

namespace quadrille {

class GrowingArea {
 public:
  GrowingArea() = default;
  explicit GrowingArea(const Region& first);  // contiguous; perhaps nothing

  void clear() { used_ = 0; }

  // So many bytes more; returns where they begin in the area. Where it is full, `scratch`, the bytes of scratch memory so far,
  // grows. Throws Error{too_large} from 2^63 bytes on.
  Bytes take(Bytes length, Bytes& scratch);

  // Bytes [offset, offset + length) of what was taken, added to `regions`.
  void append_to(Regions& regions, Bytes offset, Bytes length) const;

  // Where in scratch memory the next bytes go, if they go there in one run however many they are: nothing lies behind.
  std::optional<Bytes> open_end(Bytes scratch) const;

 private:
  Regions runs_;
  Bytes size_ = 0, used_ = 0;
};

}  // namespace quadrille
