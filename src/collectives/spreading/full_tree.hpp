// SPDX-License-Identifier: BSD-3-Clause
// A pipeline of segments down the tree in which every rank has `fan-out` children. Run backwards it is a reduction.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

// The program of a broadcast with the parameters below; `stage` names its stage.
Program broadcast_by_full_tree(const Problem& problem, const Parameters& parameters, std::string stage, Rank me);

std::vector<Parameter> full_tree_parameters();  // fan-out, segments

// The most messages that a rank sends in one round of the broadcast.
Count full_tree_ports(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille
