// SPDX-License-Identifier: BSD-3-Clause
// Windows in which every message is short, prepared for ranks that share cores. Such a rank gets its core back for about a
// microsecond at a time, often with an empty TLB. So the work for each message counts, and so does the number of pages that hold
// the data of a window. Here one list, without gaps, has all that the receives of a window need.
//
// The rank receives in the order of the list. If a message is missing, the rank does not look at later ones: it yields and
// continues with the missing one. So it reads each flag once, and one more for each time that it gets its core for nothing. A rank
// with a core of its own must not do so: while it waits for one message it can copy others.
#pragma once

#include <cstdint>
#include <vector>

#include "execute/script/script.hpp"
#include "execute/shared/planned/connect.hpp"
#include "execute/shared/planned/layout.hpp"

namespace quadrille {

// One contiguous copy out of a sender's block.
struct DenseReceive {
  const std::byte* first_head = nullptr;  // the head of the message's group in the first block of the sender's area
  Bytes block_bytes = 0;
  Bytes target = 0;
  std::uint32_t payload = 0;  // behind the head
  std::uint32_t length = 0;
  std::uint32_t message = 0;  // index in the script
  std::uint8_t block_mask = 0;
  Buffer target_buffer{};

  // The head in the block of this execution.
  const std::byte* head(std::uint64_t execution) const {
    return first_head + static_cast<Bytes>(execution & block_mask) * block_bytes;
  }
};

class DenseWindows {
 public:
  DenseWindows() = default;  // no window is dense
  DenseWindows(const Script& script, const SendAreaLayout& layout, const Connection& connection);

  // Takes over places and lengths that an elastic plan has scaled.
  void take_sizes(const Connection& connection);

  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  struct Window {
    bool is_dense = false;
    std::uint32_t group = none;  // the group of its sends; `none`: it has no sends
    IndexRange receives;         // range of the list
  };

  bool is_dense(std::size_t window) const { return window < windows_.size() && windows_[window].is_dense; }
  const Window& operator[](std::size_t window) const { return windows_[window]; }
  const DenseReceive& receive(std::uint32_t place) const { return receives_[place]; }
  Bytes memory_bytes() const;

 private:
  std::vector<Window> windows_;
  std::vector<DenseReceive> receives_;
};

}  // namespace quadrille
