// SPDX-License-Identifier: BSD-3-Clause
// What [liu2002] leaves open about figures 15 to 23: t_m, the time for packing and unpacking a byte of a message, for which table 1
// has no value; how many elements its "small number" has; the random targets of Pattern1; whether messages to oneself cost
// anything; the numbers of ranks of figures 15 and 17; and the nonblocking mode of section 4.1. This file computes for which values
// the paper's claims hold in the flat model.
#pragma once

#include "papers/exhibits/irregular_times.hpp"

namespace quadrille::papers {

// The largest t_m that is tried, as a share of t_c + t_d. Packing copies a byte inside the local memory; t_c + t_d copy it to the
// interface and move it to the other rank.
inline constexpr double most_composing = 1;

// A range of values of t_m, as shares of t_c + t_d.
struct ComposingRange {
  double from = 0, to = 0;
};
using ComposingRanges = std::vector<ComposingRange>;  // in ascending order

// What is open besides t_m.
struct OpenValues {
  Bytes small = few;
  bool with_own = true;  // whether messages to oneself are counted
};
std::vector<OpenValues> open_values();
std::string name(const OpenValues& values);  // "small number 1, with messages to oneself"

// Returns the plot with the points at which the small number is small; if few points are wanted, with the first and the last of
// these.
IrregularPlot with_small(IrregularPlot plot, Bytes small, const Making& making);

double composing_us_per_byte(const std::string& machine, double share);  // t_m in µs/byte

// Does each claim of the plot hold in the model by some reading, at the points that the paper names (decisive_at_named)? Indexed
// by t_m (composing_grid), draw and claim.
using HeldClaims = std::vector<std::vector<std::vector<bool>>>;
HeldClaims held_claims(const IrregularPlot& plot, const Making& making, const OpenValues& values);
std::vector<double> composing_grid();

// Returns, for each claim, the ranges of t_m in which it holds with at least one draw.
std::vector<ComposingRanges> composing_ranges(const HeldClaims& held);
std::vector<ComposingRanges> composing_ranges(const IrregularPlot& plot, const Making& making, const OpenValues& values);

std::string composing_text(const ComposingRanges& ranges);  // "t_m from 0 to 0.25 (t_c + t_d)", "every t_m", "no t_m"

// The parts of the time of an exchange, in milliseconds: packing in the stages that distribute, start-ups and bytes
// of all stages, and packing in the stages that collect. If packing overlaps communication, only the time by which it
// exceeds the communication is counted.
struct ExchangeParts {
  double distribute = 0, communicate = 0, collect = 0;
};
ExchangeParts parts_of(const Workload& work, const Coefficients& costs, const IrregularCurve& curve);

// Adds the parts of all curves at all points as a sheet and a panel of bars, for the largest t_m that is tried, because bars for
// smaller t_m may be too small to see. Also adds the claim that A3 communicates for longer than A4 in each mode in which both have
// a curve.
inline constexpr const char* parts_remark =
    "The stacked bars use a t_m of t_c + t_d, so they show the longest times of distributing and collecting.";
void add_parts(Reproduction& made, const IrregularPlot& plot, const Quotation& said, const Making& making);

}  // namespace quadrille::papers
