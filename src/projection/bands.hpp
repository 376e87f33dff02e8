// SPDX-License-Identifier: BSD-3-Clause
// How uncertain a projection is: the figures of the machine, the errors of its prices and the gaps are drawn at random, and the
// sums of the replay are scaled by them.
#pragma once

#include <vector>

#include "projection/rows.hpp"
#include "quadrille/projection.hpp"

namespace quadrille::projection {

struct BandInputs {
  const ProjectionOptions& options;
  std::size_t figures;  // that were assumed
  const std::vector<RowSums>& rows;
  BySide<PartTimes> parts;  // means of the ranks
  double gap_deviation_s;   // standard deviation of the computing, mean of the ranks
};

struct Bands {
  BySide<ProjectedRun> runs;
  Band gain;                // share of the vendor's total
  std::vector<Band> gains;  // by row, in seconds
};

Bands bands_of(const BandInputs& inputs);

}  // namespace quadrille::projection
