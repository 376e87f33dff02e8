// SPDX-License-Identifier: BSD-3-Clause
// Collectives in two parts, such as a scatter followed by an allgather: the first part leaves its result where the second part
// finds its input. Both parts are schedules of other algorithms, made once for all ranks. Between the parts each rank has a share
// of the vector, or rank 0 has everything.
#pragma once

#include <memory>

#include "collectives/shares.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {

struct TwoParts : Analysis {
  TwoParts(Schedule first_part, Schedule second_part) : first(std::move(first_part)), second(std::move(second_part)) {}

  Schedule first, second;
};

// The region of a rank's share in a vector that is cut into a share for each rank.
inline Region vector_share(Buffer buffer, const Problem& problem, Rank rank) {
  return segment(buffer, problem, problem.ranks, rank);
}

// The problem of one part: `collective` is an irregular collective, whose counts are the sizes of the shares. Throws
// Error{too_large} if there are more than `most_listed` shares.
Problem problem_of_shares(const Problem& problem, Collective collective);

// The parameter `scatter`: the algorithm for reduce_scatterv that forms the first part of a reduction.
Parameter scatter_part();
Choice choice_of_scatter(const Problem& by_shares, const Parameters& parameters);

// The conditions of the first part, and the order in which it combines operands. The whole algorithm has the same.
Result<> scatter_applies(const Problem& problem, const Parameters& parameters);
Combining combining_of_scatter(const Problem& problem, const Parameters& parameters);
inline constexpr std::string_view combining_rule_of_scatter = "as the scatter";

// The parameter `gather`: the algorithm for allgatherv that forms the last part.
Parameter gather_part();
Result<> gather_applies(const Problem& problem, const Parameters& parameters);

// Can the algorithm of this specification solve the part's problem? If the text is wrong, the reason says so.
Result<> part_applies(const Problem& part, const std::string& specification);

Count ports_of(const Problem& problem, const Choice& choice);

// Both parts work on shares of the vector, one for each rank, by algorithms for two irregular collectives.
std::shared_ptr<const Analysis> parts_by_shares(const Problem& problem, Collective first, const std::string& first_algorithm,
                                                Collective second, const std::string& second_algorithm);

// The joined programs of the two parts. The first part leaves its result in the output, at the place of the rank's own share.
Program joined_at_the_share(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me);

// Collectives in two parts with rank 0 between them: an allreduce as a reduction and a broadcast, an allgather(v) as a gather and a
// broadcast, a reduce_scatter(v) as a reduction and a scatter. A parameter names the algorithm of each part.
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
