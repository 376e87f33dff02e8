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

// The functions of records. The parameters are called "reduce" or "gather", and "broadcast" or "scatter".
std::vector<Parameter> rooted_parameters(Collective collective);
Program rooted_program(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me);
std::shared_ptr<const Analysis> analyse_rooted(const Problem& problem, const Parameters& parameters);
Result<> rooted_applies(const Problem& problem, const Parameters& parameters);
Count rooted_ports(const Problem& problem, const Parameters& parameters);
Combining rooted_combining(const Problem& problem, const Parameters& parameters);
inline constexpr std::string_view rooted_combining_rule = "as the reduction";

// "name:reduce=..,broadcast=..": the specification in which the parts run these algorithms.
std::string rooted_specification(const Problem& problem, std::string_view id, std::string first, std::string second);

}  // namespace quadrille
