// SPDX-License-Identifier: BSD-3-Clause
// A3 and A4 on an SP2 for messages from a kilo of elements on, what their stages take, and what they spend it on.
#include <fmt/format.h>

#include "reproduce/exhibits/irregular_composing.hpp"

namespace quadrille::reproduce {

std::vector<IrregularPlot> plots_of_fig22() {
  using enum ExchangeMode;
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : {std::pair("a", TrafficKind::spike), std::pair("b", TrafficKind::transpose)}) {
    IrregularPlot& plot =
        plots.emplace_back(IrregularPlot{name,
                                         "sp2",
                                         pattern,
                                         over_lengths(64, 1024, 8192),
                                         {{3, blocking}, {3, one_buffer}, {4, blocking}, {4, one_buffer}, {4, two_buffers}},
                                         {}});
    const std::string place = "section 4.2, figure 22";
    if (pattern == TrafficKind::spike) {
      const Quotation said{"A3-n1 has superior performance for Pattern1", place};
      for (const IrregularCurve& other : {IrregularCurve{3, blocking}, {4, blocking}, {4, one_buffer}, {4, two_buffers}})
        plot.claims.push_back(is_lower({3, one_buffer}, other, said, a3_and_a4));
    } else {
      const Quotation said{"A4-n2 has superior performance for Pattern2 as compared to the other algorithms", place};
      for (const IrregularCurve& other : {IrregularCurve{3, blocking}, {3, one_buffer}, {4, blocking}, {4, one_buffer}})
        plot.claims.push_back(is_lower({4, two_buffers}, other, said, a3_and_a4));
    }
    for (const int number : {3, 4})
      plot.claims.push_back(has_gain({number, one_buffer}, {number, blocking}, 0.9,
                                     {"Nonblocking communication mode results in significant performance gains", place},
                                     little_to_hide));
    plot.claims.push_back(
        has_ratio({4, two_buffers}, {4, one_buffer}, Relation::at_most, 0.99,
                  {"The nonblocking version using dual end buffers performs better than that using a single send buffer", place},
                  no_composing));
  }
  return plots;
}

namespace {

Reproduction make(const Making& making) {
  const std::vector<IrregularPlot> plots = plots_of_fig22();
  Reproduction made = reproduction_of(plots, making);
  const Quotation said{"The hot-spots encountered in A3 .. result in much larger latencies when C-Comm or R-Comm is performed",
                       "section 4.2, said of the T3D, figure 20"};
  add_stages(made, "sp2", {64, 4096}, said);
  for (const IrregularPlot& plot : plots) add_parts(made, thinned(plot), said, making);  // ten bars can be told apart
  made.remarks.emplace_back(parts_remark);
  made.remarks.emplace_back(
      "In the stacked bars each stage of n1 and n2 communicates for as long as its start-ups or its bytes take, whichever is "
      "longer; the shorter is hidden behind it. In n2 it hides what distribute and collect take in the stages after the first "
      "as well: shown is only by how much that is longer.");
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig22{
    .id = "liu2002-fig22",
    .title = "A4 and A3 on an SP2, long messages",
    .source = "liu2002, figure 22 and section 4.2",
    .about = about_claims,
    .make = make,
};

}  // namespace quadrille::reproduce
