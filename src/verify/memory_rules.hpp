// SPDX-License-Identifier: BSD-3-Clause
// The rules about memory and its contents: no byte is used twice in a round, elements that a reduction combines stay whole, and
// outputs hold what the collective requires.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/symbolic.hpp"

namespace quadrille {

// Contiguous bytes, for the search for bytes that occur twice in lists of regions.
struct Run {
  Buffer buffer;
  Bytes first, last;
};

std::vector<Run> sorted_runs(const Regions& regions);

std::optional<Region> repeated(const std::vector<Run>& runs);  // bytes that occur twice in sorted runs

// Returns bytes that occur in both `reads` and `writes`. Both are sorted, and `writes` has no byte twice.
std::optional<Region> shared(const std::vector<Run>& reads, const std::vector<Run>& writes);

// Returns true if every operation reads and writes whole elements, provided that memory consists of elements. No element is split
// in such a schedule.
bool keep_elements(const std::vector<Program>& programs, Bytes element);

// Returns the number of the first element that is not whole. An element is whole if its bytes are, in order, all bytes of one
// element of one term. Unwritten bytes are ignored, because another rule reports them.
std::optional<Count> first_torn_element(const Strip& strip, Bytes element);

// Returns a sentence that says which bytes the element consists of.
std::string torn_element(const Strip& strip, Count number, Bytes element, const Terms& terms, std::string_view of_what);

// Consecutive bytes of a final output that differ from what the collective requires there.
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
