// SPDX-License-Identifier: BSD-3-Clause
// t_m is the time for packing and unpacking a byte of a message. Table 1 of [liu2002] has no value for it. This file computes the
// values of t_m for which the paper's claims about figures 15 to 23 hold in the flat model.
#pragma once

#include "papers/exhibits/irregular_times.hpp"

namespace quadrille::papers {

inline constexpr double most_composing = 1;  // µs/byte: the largest value that is tried

// A range of values of t_m in µs/byte. The last range may reach most_composing.
struct ComposingRange {
  double from = 0, to = 0;
};
using ComposingRanges = std::vector<ComposingRange>;  // in ascending order

// Returns, for each claim of the plot, the ranges of t_m in which it holds in the model with messages to oneself. The
// function tries the values of a fixed grid and finds the ends of ranges by bisection.
std::vector<ComposingRanges> composing_ranges(const IrregularPlot& plot, const Making& making);

// Returns a text such as "holds for t_m from 0.0012 to 0.034 µs/byte" or "holds for no t_m up to 1 µs/byte".
std::string composing_text(const ComposingRanges& ranges);

std::vector<double> composing_grid();  // 0, and values from 10^-5 to most_composing with equal logarithmic steps

// A claim about a figure, with the values of t_m for which it holds.
struct ComposingClaim {
  int figure = 0;
  IrregularPlot plot;
  IrregularClaim claim;
  ComposingRanges ranges;

  bool holds_at(double us_per_byte) const;
};
// Returns the claims about figures 15 to 23. They are computed once in a process.
const std::vector<ComposingClaim>& composing_claims(const std::string& machine, const Making& making);

// The t_m that fits the claims best. `most` is the largest number of claims that hold for one t_m, and `most_range` is the lowest
// range in which so many hold. That range may be very narrow, so the fit uses another one: `range` is the widest range, by the
// ratio of its ends, in which at least most - 1 claims hold throughout. Its middle is the fitted value.
struct ComposingFit {
  std::size_t most = 0;
  ComposingRange most_range;
  ComposingRange range;
  double us_per_byte = 0;  // the geometric middle; 0 counts as 10^-5, as in the ratio
};
ComposingFit fit_composing(const std::vector<ComposingClaim>& claims);
std::size_t claims_held(const std::vector<ComposingClaim>& claims, double us_per_byte);
ComposingFit fit_composing(const std::string& machine, const Making& making);

// The parts of the time of an exchange, in milliseconds: packing in the stages that distribute, start-ups and bytes
// of all stages, and packing in the stages that collect. If packing overlaps communication, only the time by which it
// exceeds the communication is counted.
struct ExchangeParts {
  double distribute = 0, communicate = 0, collect = 0;
};
ExchangeParts parts_of(const std::vector<StageFigures>& stages, const FlatModel& model, const IrregularCurve& curve);

// Adds the parts of all curves at all points as a sheet and a panel of bars. They are computed for the largest t_m of the range
// that fits the claims about the machine, because bars for its middle may be too small to see. Also adds the claim that, at that
// t_m, A3 communicates for longer than A4 in each mode that both have.
inline constexpr const char* parts_remark =
    "The stacked bars use the largest t_m of the range that fits the claims (liu2002-composing), so they show the longest times of "
    "distributing and collecting.";
void add_parts(Reproduction& made, const IrregularPlot& plot, const Quotation& said, const Making& making);

}  // namespace quadrille::papers
