// SPDX-License-Identifier: BSD-3-Clause
// Reductions to all in two parts, as allreduce/reduce-scatter-allgather and its instances use it: every piece of the vector is
// combined at one rank, in its place in the output, and gathered everywhere from there.
#pragma once

#include "collectives/pieces.hpp"

namespace quadrille::scatter_then_gather {

std::shared_ptr<const Analysis> analyse(const Problem& problem, const std::string& scatter, const std::string& gather);
Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me);

}  // namespace quadrille::scatter_then_gather
