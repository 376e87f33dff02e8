// SPDX-License-Identifier: BSD-3-Clause
// Collectives in two parts, such as a scatter followed by an allgather: the first part leaves its result where the second part
// finds its input. Both parts are schedules of other algorithms, made once for all ranks.
#pragma once

#include <memory>

#include "collectives/spreading/vector_shares.hpp"

namespace quadrille {

struct TwoParts : Analysis {
  TwoParts(Schedule first_part, Schedule second_part) : first(std::move(first_part)), second(std::move(second_part)) {}

  Schedule first, second;
};

// Both parts work on shares of the vector, one for each rank, by algorithms for two irregular collectives.
std::shared_ptr<const Analysis> parts_by_shares(const Problem& problem, Collective first, const std::string& first_algorithm,
                                                Collective second, const std::string& second_algorithm);

// The joined programs of the two parts. The first part leaves its result in the output, at the place of the rank's own share.
Program joined_at_the_share(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me);

}  // namespace quadrille
