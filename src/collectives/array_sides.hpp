// SPDX-License-Identifier: BSD-3-Clause
// The parameters that say in what array the ranks stand: `columns` for rows of so many, the last perhaps shorter; `sides` for any
// number of dimensions without gaps.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

// Of the parameter `sides`, such as 4x4x4; empty where it is none.
std::vector<Count> sides_of(const Parameters& parameters);

// `sides` stands before `columns`, whose default is the last side where there are sides.
Parameter sides_parameter();
// The best grid for the number of ranks, the paper's, or any that is valid.
Parameter columns_parameter();
Result<> columns_apply(const Problem& problem, const Parameters& parameters);
Result<> array_applies(const Problem& problem, const Parameters& parameters);  // sides or columns

}  // namespace quadrille
