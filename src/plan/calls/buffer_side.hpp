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
    if (elements == 0) return;
    const Count end = first + elements;
    if (first_ == end_) {
      first_ = first, end_ = end;
    } else {
      rises_ = rises_ && first >= end_;
      first_ = std::min(first_, first), end_ = std::max(end_, end);
    }
  }

  // True if each block begins at or after the end of those noted before it: then no two overlap.
  bool rises() const { return rises_; }

  void check_given(const char* what) const { quadrille::check_given(buffer_, used(), what); }

  // Throws Error{misuse} if blocks are sent from the one buffer and received in the other, and these overlap.
  void check_apart(const BufferSide<std::byte>& output, std::string_view function) const {
    if (overlap(buffer_, used(), output.buffer_, output.used())) throw_overlap(function, true);
  }

 private:
  template <class>
  friend class BufferSide;

  UsedPart used() const { return {bytes(first_), bytes(end_)}; }

  Byte* const buffer_;
  const Bytes element_bytes_;
  Count first_ = 0, end_ = 0;  // the elements that are used
  bool rises_ = true;
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
