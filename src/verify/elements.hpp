// SPDX-License-Identifier: BSD-3-Clause
// Whether the elements that a reduction combines stay whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/symbolic.hpp"

namespace quadrille {

// Does every operation read and write whole elements, if memory is made of them? Then none is ever taken apart.
bool keep_elements(const std::vector<Program>& programs, Bytes element);

// The number of the first element whose bytes are not, in their order, those of one element of one term. Unwritten bytes are the
// matter of another rule.
std::optional<Count> first_torn_element(const Strip& strip, Bytes element);

// What that element is made of, in words.
std::string torn_element(const Strip& strip, Count number, Bytes element, const Terms& terms, std::string_view of_what);

}  // namespace quadrille
