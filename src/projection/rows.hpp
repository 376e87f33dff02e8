// SPDX-License-Identifier: BSD-3-Clause
// The rows of a projection: the replayed calls by function, communicator and size.
#pragma once

#include <vector>

#include "projection/replay.hpp"
#include "quadrille/projection.hpp"

namespace quadrille::projection {

// Is the call in a row? Making a communicator is in none.
bool is_in_row(const Recording& recording, const PricedCall& call);

// Returns the rows without their gains, by the vendor's time, the longest first. Each call gets the number of its row.
std::vector<ProjectedRow> rows_of(const Recording& recording, CallPrices& prices, const Replayed& replayed);

}  // namespace quadrille::projection
