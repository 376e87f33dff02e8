// SPDX-License-Identifier: BSD-3-Clause
// Limits of networks that are graphs, checked before any edge is made.
#pragma once

#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

// `numbers` are the sides of a graph. Their product is at least its number of ranks. Throws Error{misuse} for a number below 1, and
// Error{too_large} for more than 2^20 ranks.
void check_graph_numbers(const std::string& name, const std::vector<Count>& numbers);

// Throws Error{too_large} for more than 2^22 edges.
void check_graph_edges(const std::string& name, Count edges);

}  // namespace quadrille
