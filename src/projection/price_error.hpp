// SPDX-License-Identifier: BSD-3-Clause
// How far the price of a call is off, by the residuals in the machine's file.
#pragma once

#include "quadrille/model.hpp"
#include "quadrille/problem.hpp"

namespace quadrille::projection {

// The share by which a time that the model predicts is wrong, if the machine's file does not say: one standard deviation.
inline constexpr double usual_residual = 0.2;

// Of the natural logarithm of real time / price.
struct PriceError {
  double bias = 0;                 // what calls of this kind have in common, where they were measured
  double spread = usual_residual;  // standard deviation from call to call
};

// Returns the residual of the collective by the same implementation, interpolated between the two sizes of block next to this one:
// logarithms of ratios, and spreads, by the logarithm of the size. Beyond the measured sizes: that of the nearest one. If there is
// none: all residuals of the implementation together. If it has none: those of the other. If the machine has no residuals:
// `usual_residual`.
PriceError price_error_of(const MachineCosts& machine, Collective collective, Bytes block_bytes, Implementation by);

// Were residuals of the collective measured by both implementations, on ranks that are placed like these? Then a price times its
// residual is better than the price.
bool were_measured_on(const MachineCosts& machine, Collective collective, const std::vector<Count>& nodes);

}  // namespace quadrille::projection
