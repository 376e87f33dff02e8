// SPDX-License-Identifier: BSD-3-Clause
// The scatters. Regular and irregular ones differ in where shares lie and in nothing else, and a gather is a scatter run
// backwards, so each is made here once for four algorithms.
#pragma once

#include "collectives/shares.hpp"

namespace quadrille {

// The records of the algorithms that scatter, scatterv, gather and gatherv share.
// From the root straight to everybody.
Algorithm linear_algorithm(Collective collective, std::string_view summary);
// Down a binomial tree.
Algorithm binomial_algorithm(Collective collective, std::string_view summary);
// Along the columns of a mesh, whose rows are runs of memory, then along its rows.
Algorithm mesh_algorithm(Collective collective, std::string_view summary);

// The parameter `ports` of linear algorithms.
Parameter ports_of_root(std::string_view summary);

}  // namespace quadrille
