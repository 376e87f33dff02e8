// SPDX-License-Identifier: BSD-3-Clause
// Problems as text for people.
#pragma once

#include <string>
#include <vector>

#include "quadrille/problem.hpp"

namespace quadrille {

// Returns the size of a block; of an irregular problem, the smallest and the largest share. Empty if no data moves.
std::vector<Bytes> sizes_of(const Problem& problem);

std::string block_text(const Problem& problem);    // these sizes: "8 B", "0 B..64 KiB", or a dash
std::string problem_text(const Problem& problem);  // "5 ranks, 8 B a block, root 0"

// Returns "broadcast among 5 ranks, 8 B a block, root 0".
std::string collective_text(const Problem& problem);

// Returns the counts of an irregular problem; those of alltoallv are row by row.
std::vector<Bytes> all_counts(const Problem& problem);

}  // namespace quadrille
