// SPDX-License-Identifier: BSD-3-Clause
// Do the sizes of a typed call fit each other and the number of ranks?
#pragma once

#include "quadrille/call.hpp"

namespace quadrille {

// The bytes of a block of the call's problem. Throws Error{misuse} with both numbers where sizes do not fit, for a root that there
// is not, and where the operator's elements have another size. Local; not for calls with counts.
Bytes checked_block_bytes(const CallArguments& arguments, Rank me, Count ranks);

void check_root(Rank root, Count ranks);
void check_element_bytes(const CallOperator& operation, Bytes element_bytes);

}  // namespace quadrille
