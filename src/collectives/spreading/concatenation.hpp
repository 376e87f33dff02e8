// SPDX-License-Identifier: BSD-3-Clause
// The concatenation algorithm for blocks of any sizes: the functions of the records allgather/concatenation and
// allgatherv/concatenation.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille::concatenation {

std::vector<Parameter> parameters();  // ports, last
std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters& parameters);
Program generate(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me);

}  // namespace quadrille::concatenation
