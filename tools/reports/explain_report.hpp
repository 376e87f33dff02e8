// SPDX-License-Identifier: BSD-3-Clause
// The report of `explain`: the answer, the reasons and the table, as text or as JSON.
#pragma once

#include <string>

#include "quadrille/explain.hpp"
#include "support/text.hpp"

namespace quadrille::command {

std::string text_of(const Explanation& explanation, const MachineKnowledge& knowledge, std::size_t most_rows, bool with_baselines);
Json json_of(const Explanation& explanation, const MachineKnowledge& knowledge);

}  // namespace quadrille::command
