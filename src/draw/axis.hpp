// SPDX-License-Identifier: BSD-3-Clause
// Axes of plots: the range of the values, their places in the picture, and round numbers as ticks.
#pragma once

#include <string>
#include <vector>

namespace quadrille {

// The range of all values that were added; empty at first.
struct ValueRange {
  double least = 1e300, most = -1e300;

  void add(double value);
  bool is_empty() const { return least > most; }

  // Returns the range that an axis shows. A logarithmic one gets a margin on both sides; a linear one begins and ends at a tick,
  // and contains 0 if `from_zero`.
  ValueRange for_axis(bool log, bool from_zero) const;
};

// Maps a range of values to a range of pixels. The range of a logarithmic axis is positive; values below it are at its end.
class Axis {
 public:
  Axis(const ValueRange& values, bool log, double from, double to) : values_(values), log_(log), from_(from), to_(to) {}

  double at(double value) const;  // the pixel
  std::vector<double> round_values() const;
  std::vector<double> powers_of_two() const;

 private:
  std::vector<double> within(std::vector<double> values) const;

  ValueRange values_;
  bool log_;
  double from_, to_;
};

// Returns a number for a tick, such as "0.25", "1000" or "2·10⁵".
std::string tick_text(double value);

}  // namespace quadrille
