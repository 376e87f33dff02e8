// SPDX-License-Identifier: BSD-3-Clause
// An explanation for people: the answer, why, and the table; and as JSON.
#pragma once

#include <string>

#include "explanation.hpp"
#include "json.hpp"

namespace quadrille::command {

std::string text_of(const Explanation& explanation, const ExplainKnowledge& knowledge, std::size_t most_rows);
Json json_of(const Explanation& explanation, const ExplainKnowledge& knowledge);

}  // namespace quadrille::command
