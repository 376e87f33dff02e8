// SPDX-License-Identifier: BSD-3-Clause
// Checks that the sizes of a typed call match each other and the number of ranks.
#pragma once

#include "quadrille/call.hpp"

namespace quadrille {

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
