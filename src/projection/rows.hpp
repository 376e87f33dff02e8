// SPDX-License-Identifier: BSD-3-Clause
// The rows of a projection: replayed calls by function, communicator and size.
#pragma once

#include <vector>

#include "projection/replay.hpp"

namespace quadrille::projection {

// A row, and how its times depend on the figures that were assumed.
struct RowSums {
  ProjectedRow row;                             // without gain
  BySide<double> seconds{};                     // mean of the ranks
  BySide<std::vector<double>> halved, doubled;  // by assumed figure: the row's time if the figure is half, or twice, as large
  BySide<PriceError> errors{};                  // means of the calls, weighted by their prices
  bool is_same = false;                         // do both sides run the same algorithms?
};

std::vector<RowSums> rows_of(const Recording& recording, const CallPrices& prices, const Replayed& replayed);

}  // namespace quadrille::projection
