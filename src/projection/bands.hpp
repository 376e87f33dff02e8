// SPDX-License-Identifier: BSD-3-Clause
// The rows of a projection, and the uncertainty of its rows and totals: figures of the machine, errors of its prices, and gaps
// are drawn at random, and scale the sums of the replay.
#pragma once

#include <vector>

#include "projection/replay.hpp"
#include "quadrille/projection.hpp"

namespace quadrille::projection {

// A row: the replayed calls of a function, a communicator and a size. Also how the times of the row depend on the assumed
// figures.
struct RowSums {
  ProjectedRow row;                             // without gain
  BySide<double> seconds{};                     // the row's time, mean of the ranks
  BySide<std::vector<double>> halved, doubled;  // by assumed figure: the row's time if the figure is half, or twice, as large
  BySide<PriceError> errors{};                  // mean errors of the calls, weighted by their prices
  bool is_same = false;                         // do both sides run the same algorithms?
};

std::vector<RowSums> rows_of(const Recording& recording, const CallPrices& prices, const Replayed& replayed);

struct BandInputs {
  const ProjectionOptions& options;
  std::size_t figures;  // how many figures were assumed
  const std::vector<RowSums>& rows;
  BySide<PartTimes> parts;  // parts of the time, means of the ranks
  double gap_deviation_s;   // standard deviation of a rank's computing time, mean of the ranks
};

struct Bands {
  BySide<ProjectedRun> runs;
  Band gain;                // total gain, as a share of the vendor's total
  std::vector<Band> gains;  // gain of each row, in seconds
};

Bands bands_of(const BandInputs& inputs);

}  // namespace quadrille::projection
