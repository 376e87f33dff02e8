// SPDX-License-Identifier: BSD-3-Clause
// Checks the arguments of a call: whether sizes match each other and the number of ranks, and where blocks with counts lie.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "plan/plan.hpp"
#include "quadrille/call.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/typed_call.hpp"

namespace quadrille {

// The blocks on one side of a call with counts. Checks their number, and that they fit their buffer.
struct CountedBlocks {
  const Blocks& blocks;
  std::string_view function;  // the function that the program has called
  const char* side;           // "send" or "receive"; empty if the caller gives counts for one side only
  Count length;               // how many blocks there must be
  const char* peers;          // what each block is for: "ranks", "sources" or "destinations"
  const char* buffer;         // "input", "output" or "buffer"
  Count elements;             // of the buffer
  bool has_buffer = true;     // if false, `elements` is not used

  // Checks the blocks, and passes each to `visit`: its place in the list, its first element, its number of elements. Throws
  // Error{misuse} or Error{too_large}.
  template <class Visit>
  void visit(Visit&& visit) const {
    if (size(blocks.counts) != length || (blocks.displacements && size(*blocks.displacements) != length)) [[unlikely]]
      refuse_lengths();
    Count before = 0;
    for (Count block = 0; block < length; ++block) {
      const Count count = blocks.counts[index(block)],
                  first = blocks.displacements ? (*blocks.displacements)[index(block)] : before;
      const auto end = checked_sum(first, count);
      if (count < 0 || !end || (count > 0 && (first < 0 || (has_buffer && *end > elements)))) [[unlikely]]
        refuse(block, first, count);
      before = *end;
      visit(block, first, count);
    }
  }

 private:
  static Count size(const CountList& list) { return static_cast<Count>(list.size()); }
  [[noreturn]] void refuse_lengths() const;
  [[noreturn]] void refuse(Count block, Count first, Count count) const;
};

// The bytes of a caller's buffer in which the blocks of a call with counts lie. `Byte` is const for an input. The blocks lie within
// the buffer, so their bytes cannot reach 2^63.
template <class Byte>
class BufferSide {
 public:
  template <class Memory>
  BufferSide(Memory* buffer, Bytes element_bytes) : buffer_(static_cast<Byte*>(buffer)), element_bytes_(element_bytes) {}

  Bytes bytes(Count elements) const { return elements * element_bytes_; }
  Byte* place(Count first) const { return buffer_ + bytes(first); }

  // Notes the place of a block.
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

  // True if each block begins at or after the end of all blocks that were noted before it: then no two overlap.
  bool rises() const { return rises_; }

  void check_given(const char* what) const { quadrille::check_given(buffer_, used(), what); }

  // Throws Error{misuse} if blocks are sent from one of the two buffers and received in the other, and the buffers overlap.
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
// As above, and also throws if received blocks overlap sent blocks.
void refuse_overlap(std::span<const Edges::Send> sent, std::span<const Edges::Receive> received,
                    std::vector<Edges::Receive>& order);

// Returns the bytes of one block. Local. Throws Error{misuse} if the sizes of input and output do not match (the message names
// both), if the root is not a rank of the group, or if the operator's elements have another size. Not for calls with counts.
Bytes checked_block_bytes(const CallArguments& arguments, Rank me, Count ranks);

[[noreturn]] void refuse_root(Rank root, Count ranks);
inline void check_root(Rank root, Count ranks) {
  if (root < 0 || root >= ranks) [[unlikely]]
    refuse_root(root, ranks);
}
void check_element_bytes(const CallOperator& operation, Bytes element_bytes);

}  // namespace quadrille
