// SPDX-License-Identifier: BSD-3-Clause
// Scatters. Regular and irregular collectives differ only in where shares lie, and a gather is a scatter run backwards.
// So each function here serves four collectives: scatter, scatterv, gather and gatherv.
#pragma once

#include "collectives/shares.hpp"

namespace quadrille {

// The records of the algorithms that these four collectives have in common.
// From the root straight to every other rank.
Algorithm linear_algorithm(Collective collective, std::string_view summary);
// Down a binomial tree.
Algorithm binomial_algorithm(Collective collective, std::string_view summary);
// Along the columns of a mesh, whose rows are contiguous in memory, then along its rows.
Algorithm mesh_algorithm(Collective collective, std::string_view summary);

// The parameter `ports` of linear algorithms.
Parameter ports_of_root(std::string_view summary);

}  // namespace quadrille
