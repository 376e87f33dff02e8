// SPDX-License-Identifier: BSD-3-Clause
// Vectors that are cut into a share for each rank, and the common code of algorithms in two parts, of which the first
// scatters the shares and the second gathers them.
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

// Do the conditions of the first part hold, and in which order does it combine? The whole algorithm inherits both.
Result<> scatter_applies(const Problem& problem, const Parameters& parameters);
Combining combining_of_scatter(const Problem& problem, const Parameters& parameters);
inline constexpr std::string_view combining_rule_of_scatter = "as the scatter";

// The parameter `gather`: the algorithm for allgatherv that forms the last part.
Parameter gather_part();
Result<> gather_applies(const Problem& problem, const Parameters& parameters);

// Can the algorithm of this specification solve the part's problem? If the text is wrong, the reason says so.
Result<> part_applies(const Problem& part, const std::string& specification);

Count ports_of(const Problem& problem, const Choice& choice);

}  // namespace quadrille
