// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/slices/growing_area.hpp"

#include <algorithm>

#include "collectives/slices/pairs.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

GrowingArea::GrowingArea(const Region& first) : size_(first.length) { append(runs_, first); }

Bytes GrowingArea::take(Bytes length, Bytes& scratch) {
  const Bytes offset = used_;
  add_bytes(used_, length);
  if (used_ > size_) {
    append(runs_, {Buffer::scratch, scratch, used_ - size_, {}});
    add_bytes(scratch, used_ - size_);
    size_ = used_;
  }
  return offset;
}

void GrowingArea::append_to(Regions& regions, Bytes offset, Bytes length) const {
  for (const Region& run : runs_) {
    const Bytes part = std::min(length, run.length - offset);
    if (part > 0) {
      append(regions, {run.buffer, run.offset + offset, part, {}});
      length -= part;
    }
    offset = std::max<Bytes>(0, offset - run.length);
  }
}

std::optional<Bytes> GrowingArea::open_end(Bytes scratch) const {
  if (used_ == size_) return scratch;
  const Region& last = runs_.back();
  const Bytes left = size_ - used_;
  const bool is_open = last.buffer == Buffer::scratch && last.offset + last.length == scratch;
  if (!is_open || left > last.length) return std::nullopt;
  return scratch - left;
}

}  // namespace quadrille
