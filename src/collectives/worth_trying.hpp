// SPDX-License-Identifier: BSD-3-Clause
// Values of parameters that several algorithms share, among which the best one may be (Parameter::worth_trying).
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

// Powers of two up to 16, the square root of p and p itself: in between C1 and C2 change little.
std::vector<ParameterValue> radices_worth_trying(const Problem& problem, const Parameters& before);

// One port; where a radix stands before, also so many that a digit takes one round; else 3, 7 and all.
std::vector<ParameterValue> ports_worth_trying(const Problem& problem, const Parameters& before);

// Small ones for balance, large ones for few pieces; the price says which by start-up and byte time. The smallest is 64 B, or so
// large that all ranks' data has no more than 2^17 pieces.
std::vector<ParameterValue> grains_worth_trying(const Problem& problem, const Parameters& before);

}  // namespace quadrille
