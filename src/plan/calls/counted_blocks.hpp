// SPDX-License-Identifier: BSD-3-Clause
// The blocks on one side of a call with counts: whether there are as many as there must be, and whether they fit their buffer.
#pragma once

#include <string_view>

#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/irregular_call.hpp"

namespace quadrille {

struct CountedBlocks {
  const BlockList& blocks;
  std::string_view function;  // that the program has called
  const char* side;           // "send" or "receive"; empty if the caller gives counts for one side only
  Count length;               // how many blocks there must be: one for each of the
  const char* peers;
  const char* buffer;  // what holds them, and its
  Count elements;
  bool has_buffer = true;  // if false, `elements` is not used

  // Checks the blocks, and passes each to `visit`: its place in the list, its first element, its elements. Throws Error{misuse} or
  // Error{too_large}.
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

}  // namespace quadrille
