// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a caller's buffer in which the blocks of a call with counts lie.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "plan/plan_buffers.hpp"
#include "quadrille/call.hpp"
#include "quadrille/edges.hpp"

namespace quadrille {

// `Byte` is const for an input. The blocks lie within the buffer, so their bytes cannot reach 2^63.
template <class Byte>
class BufferSide {
 public:
  template <class Memory>
  BufferSide(Memory* buffer, Bytes element_bytes) : buffer_(static_cast<Byte*>(buffer)), element_bytes_(element_bytes) {}

  Bytes bytes(Count elements) const { return elements * element_bytes_; }
  Byte* place(Count first) const { return buffer_ + bytes(first); }

  // Notes that a block lies there.
  void use(Count first, Count elements) {
    const UsedPart block{bytes(first), bytes(first + elements)};
    if (used_.first == used_.second)
      used_ = block;
    else if (elements > 0)
      used_ = {std::min(used_.first, block.first), std::max(used_.second, block.second)};
  }

  void check_given(const char* what) const { quadrille::check_given(buffer_, used_, what); }

  // Throws Error{misuse} if blocks are sent from the one buffer and received in the other, and these overlap.
  void check_apart(const BufferSide<std::byte>& output, std::string_view function) const {
    if (overlap(buffer_, used_, output.buffer_, output.used_)) throw_overlap(function, true);
  }

 private:
  template <class>
  friend class BufferSide;

  Byte* const buffer_;
  const Bytes element_bytes_;
  UsedPart used_{0, 0};
};

using InputSide = BufferSide<const std::byte>;
using OutputSide = BufferSide<std::byte>;

inline InputSide input_side(const CallArguments& call) { return {call.in_place ? call.output : call.input, call.element_bytes}; }
inline OutputSide output_side(const CallArguments& call) { return {call.output, call.element_bytes}; }

// Throws Error{misuse} if received blocks overlap. `order` is memory that is kept from call to call.
void refuse_overlap(std::span<const Edges::Receive> blocks, std::vector<Edges::Receive>& order);
// The same if received blocks overlap sent ones, too.
void refuse_overlap(std::span<const Edges::Send> sent, std::span<const Edges::Receive> received,
                    std::vector<Edges::Receive>& order);

}  // namespace quadrille
