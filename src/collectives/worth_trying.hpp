// SPDX-License-Identifier: BSD-3-Clause
// Parameters that several algorithms have in common, and their values for Parameter::worth_trying.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

// For Parameter::is_of_the_form of a parameter that names another algorithm: `applies` tells whether that algorithm exists.
inline bool may_be_specification(std::string_view text) { return !text.empty(); }

Parameter radix_parameter(std::string_view summary);  // in 2 .. max(2, p); the default is 2
Parameter ports_parameter();                          // in 1 .. max(1, p - 1); the default is 1

// Powers of two up to 16, the square root of p, and p itself. C1 and C2 change little between these values.
std::vector<ParameterValue> radices_worth_trying(const Problem& problem, const Parameters& before);

// One port. If a radix was given, also radix - 1 ports, because a digit then takes one round. Otherwise also 3, 7 and p - 1
// ports.
std::vector<ParameterValue> ports_worth_trying(const Problem& problem, const Parameters& before);

// Small grains balance the load; large grains make fewer pieces. The predicted time, from start-up and time per byte, decides
// which grain is used. The smallest grain is 64 B, or larger if all ranks' data would otherwise make more than 2^17 pieces.
std::vector<ParameterValue> grains_worth_trying(const Problem& problem, const Parameters& before);

// The specifications of the algorithms of `collective` that are worth trying as a part of another algorithm, which the member
// `tried` of their records states. `standard` comes first if it is among them, then the others in the order of the table.
std::vector<ParameterValue> parts_worth_trying(const Problem& whole, Collective collective, PartSettings Algorithm::*tried,
                                               std::string_view standard);

}  // namespace quadrille
