// SPDX-License-Identifier: BSD-3-Clause
// Checks that the elements that a reduction combines stay whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/symbolic.hpp"

namespace quadrille {

// Returns true if every operation reads and writes whole elements, provided that memory consists of elements.
// Then no element is ever split.
bool keep_elements(const std::vector<Program>& programs, Bytes element);

// Returns the number of the first element that is not whole. An element is whole if its bytes are, in order, those of one element
// of one term. Unwritten bytes are ignored, because another rule reports them.
std::optional<Count> first_torn_element(const Strip& strip, Bytes element);

// Returns a sentence that says of which bytes that element consists.
std::string torn_element(const Strip& strip, Count number, Bytes element, const Terms& terms, std::string_view of_what);

}  // namespace quadrille
