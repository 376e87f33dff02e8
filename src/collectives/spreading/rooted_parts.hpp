// SPDX-License-Identifier: BSD-3-Clause
// Collectives in two parts with rank 0 between them: an allreduce as a reduction and a broadcast, an allgather(v) as a gather and a
// broadcast, a reduce_scatter(v) as a reduction and a scatter. A parameter names the algorithm of each part.
#pragma once

#include "quadrille/algorithm.hpp"

namespace quadrille {

struct RootedParts {
  Problem first, second;
};
RootedParts rooted_parts(const Problem& problem);

// The record of such an algorithm. The parameters are called "reduce" or "gather", and "broadcast" or "scatter".
Algorithm rooted_record(Collective collective, std::string_view id, std::string summary, std::string_view picture,
                        std::string_view source);

// "name:reduce=..,broadcast=..": the specification in which the parts run these algorithms.
std::string rooted_specification(const Problem& problem, std::string_view id, std::string first, std::string second);

}  // namespace quadrille
