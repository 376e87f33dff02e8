// SPDX-License-Identifier: BSD-3-Clause
// Finds the bytes of a final output that are wrong, for the verifier and for drawings.
#pragma once

#include <string>
#include <vector>

#include "verify/symbolic.hpp"

namespace quadrille {

// Consecutive bytes of an output that differ from what the collective requires there.
struct WrongPart {
  Bytes offset = 0;          // in the output
  SymbolRun found;           // its term is undefined if nothing was delivered
  Bytes expected_index = 0;  // index of the first byte in the inputs of the operands
};

// Returns the wrong parts of one piece of the postcondition, in ascending order. `strip` is what the output holds there. `wanted`
// is the form of the ranks whose data the piece must hold.
std::vector<WrongPart> wrong_parts(const ExpectedPiece& expected, const Strip& strip, const Terms& terms, Terms::Form wanted);

// Returns "holds rank 3, bytes from 8 at the end; expected rank 1, bytes from 8".
std::string to_string(const WrongPart& part, const Terms& terms, Terms::Form wanted);

}  // namespace quadrille
