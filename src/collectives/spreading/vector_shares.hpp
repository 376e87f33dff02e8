// SPDX-License-Identifier: BSD-3-Clause
// Vectors cut into a share for each rank, and what algorithms in two parts have in common: one part scatters the
// shares, the other gathers them.
#pragma once

#include "collectives/segments.hpp"

namespace quadrille {

// The region of a rank's share in the vector.
inline Region vector_share(Buffer buffer, const Problem& problem, Rank rank) {
  return segment(buffer, problem, problem.ranks, rank);
}

// The problem of one part: `collective` is an irregular collective, whose counts are the sizes of the shares. Throws
// Error{too_large} if there are more than `most_listed` shares.
Problem problem_of_shares(const Problem& problem, Collective collective);

// The parameter `scatter`: the algorithm for reduce_scatterv that forms the first part of a reduction.
Parameter scatter_part();
Choice choice_of_scatter(const Problem& by_shares, const Parameters& parameters);

// Whether the whole algorithm applies, and how it combines, as far as the first part decides it.
Result<> scatter_applies(const Problem& problem, const Parameters& parameters);
Combining combining_of_scatter(const Problem& problem, const Parameters& parameters);
inline constexpr std::string_view combining_rule_of_scatter = "as the scatter";

// The parameter `gather`: the algorithm for allgatherv that forms the last part.
Parameter gather_part();
Result<> gather_applies(const Problem& problem, const Parameters& parameters);

Count ports_of(const Problem& problem, const Choice& choice);

}  // namespace quadrille
