// SPDX-License-Identifier: BSD-3-Clause
// Collectives in two parts, such as a gather and then a broadcast: the first part leaves its result in the output, and the second
// finds its input there. Both parts are schedules of other algorithms, made once for all ranks.
#pragma once

#include <memory>

#include "collectives/pieces.hpp"

namespace quadrille {

struct TwoParts : Analysis {
  TwoParts(Schedule first_part, Schedule second_part) : first(std::move(first_part)), second(std::move(second_part)) {}

  Schedule first, second;
};

// Both along the binomial tree of rank 0: `first` collects or combines the blocks of the problem there, and `bytes` are broadcast.
std::shared_ptr<const Analysis> then_broadcast(const Problem& problem, Collective first, Bytes bytes);

// A piece of the vector for each rank: algorithms for two irregular collectives.
std::shared_ptr<const Analysis> parts_of_pieces(const Problem& problem, Collective first, const std::string& first_algorithm,
                                                Collective second, const std::string& second_algorithm);

// The programs of the two: what the first leaves at the beginning of the output, or in the place of the own piece.
Program joined_at_the_beginning(const Problem&, const Parameters&, const Analysis* analysis, Rank me);
Program joined_at_the_piece(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me);

}  // namespace quadrille
