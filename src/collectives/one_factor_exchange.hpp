// SPDX-License-Identifier: BSD-3-Clause
// Everybody exchanges with everybody in the rounds of a 1-factorisation [sanders2002].
#pragma once

#include "patterns/one_factor.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

// The parameter `factor`: where the self-loops of the factorisation are.
Parameter factor_parameter();
one_factor::Form factor_form(const Parameters& parameters);

// alltoall and alltoallv, by the parameter `factor`: round i is factor i.
Program one_factor_exchange(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me);

}  // namespace quadrille
