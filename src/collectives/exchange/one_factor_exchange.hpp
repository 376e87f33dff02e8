// SPDX-License-Identifier: BSD-3-Clause
// The exchange in the rounds of a 1-factorisation: in each round, every rank exchanges with one other rank
// [sanders2002].
#pragma once

#include "patterns/one_factor.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// The parameter `factor`: selects the factors that have self-loops.
Parameter factor_parameter();
one_factor::Form factor_form(const Parameters& parameters);

// The program for alltoall and alltoallv: round i is factor i, in the form given by the parameter `factor`.
Program one_factor_exchange(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me);

}  // namespace quadrille
