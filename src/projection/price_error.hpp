// SPDX-License-Identifier: BSD-3-Clause
// How far the price of a call may be off, by the residuals in the machine's file.
#pragma once

#include "quadrille/model.hpp"

namespace quadrille::projection {

// The share by which a time that the model predicts is wrong, if the machine's file does not say: one standard deviation.
inline constexpr double usual_residual = 0.2;

// Of the natural logarithm of real time / price.
struct PriceError {
  double bias = 0;                 // what calls of this kind have in common, where they were measured
  double spread = usual_residual;  // standard deviation from call to call
};

// Returns the residual of the collective, by the same side, at the nearest size; of equally near sizes, at the smaller one. Sizes
// are compared by their logarithms. If there is none: all residuals of the side together. If the side has none: those of the other
// side. If the machine has no residuals: `usual_residual`.
PriceError price_error_of(const MachineCosts& machine, Collective collective, Bytes block_bytes, bool is_vendor);

}  // namespace quadrille::projection
