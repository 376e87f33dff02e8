// SPDX-License-Identifier: BSD-3-Clause
// Vectors cut into a piece for each rank, and what algorithms of two parts have in common: one part scatters the pieces, the
// other gathers them.
#pragma once

#include "collectives/segments.hpp"

namespace quadrille {

// Where a rank's piece lies in the vector.
inline Region piece(Buffer buffer, const Problem& problem, Rank rank) { return segment(buffer, problem, problem.ranks, rank); }

// The problem of a part: `collective` is an irregular one, and the pieces are its shares. Throws
// Error{too_large} beyond `most_listed` of them.
Problem of_pieces(const Problem& problem, Collective collective);

// The parameter `scatter`: the algorithm for reduce_scatterv that is the first part of a reduction.
Parameter scatter_part();
Choice choice_of_scatter(const Problem& pieces, const Parameters& parameters);

// Of the whole, as far as the first part decides it.
Result<> scatter_applies(const Problem& problem, const Parameters& parameters);
Combining combining_of_scatter(const Problem& problem, const Parameters& parameters);
inline constexpr std::string_view combining_rule_of_scatter = "that of the scatter";

// The parameter `gather`: the algorithm for allgatherv that is the last part.
Parameter gather_part();
Result<> gather_applies(const Problem& problem, const Parameters& parameters);

Count ports_of(const Problem& problem, const Choice& choice);

}  // namespace quadrille
