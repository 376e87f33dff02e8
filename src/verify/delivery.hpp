// SPDX-License-Identifier: BSD-3-Clause
// What is wrong in an output at the end: for the verifier, and for whoever shows it.
#pragma once

#include <string>
#include <vector>

#include "verify/symbolic.hpp"

namespace quadrille {

// Bytes of an output that are not what the collective asks for there.
struct WrongPart {
  Bytes offset = 0;          // in the output
  SymbolRun found;           // of an undefined term where nothing was delivered
  Bytes expected_index = 0;  // of the first byte in the operands' inputs
};

// The wrong parts of a piece, ascending. `strip` is what the output holds there, and `wanted` the form of the piece's ranks.
std::vector<WrongPart> wrong_parts(const ExpectedPiece& expected, const Strip& strip, const Terms& terms, Terms::Form wanted);

// "holds rank 3, bytes from 8 at the end; expected rank 1, bytes from 8"
std::string to_string(const WrongPart& part, const Terms& terms, Terms::Form wanted);

}  // namespace quadrille
