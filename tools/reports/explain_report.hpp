// SPDX-License-Identifier: BSD-3-Clause
// The report of `explain`: the answer, the reasons and the table, as text or as JSON.
#pragma once

#include <string>

#include "quadrille/explain.hpp"
#include "support/text.hpp"

namespace quadrille::command {

inline constexpr std::size_t most_explained_rows = 10;  // the rows of the table without `all`

// With `all`, the table has all rows, also baselines and ways that differ only in the executor at an equal price; and the text
// says which algorithms do not apply.
std::string text_of(const Explanation& explanation, const MachineKnowledge& knowledge, bool all);
Json json_of(const Explanation& explanation, const MachineKnowledge& knowledge);

}  // namespace quadrille::command
