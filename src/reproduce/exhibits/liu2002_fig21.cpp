// SPDX-License-Identifier: BSD-3-Clause
// A3 and A4 on an SP2 for messages of up to a kilo of elements.
#include <fmt/format.h>

#include "reproduce/exhibits/irregular_times.hpp"

namespace quadrille::reproduce {

std::vector<IrregularPlot> plots_of_fig21() {
  using enum ExchangeMode;
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : {std::pair("a", TrafficKind::spike), std::pair("b", TrafficKind::transpose)}) {
    IrregularPlot& plot =
        plots.emplace_back(IrregularPlot{name,
                                         "sp2",
                                         pattern,
                                         over_lengths(64, 16, 1024),
                                         {{3, blocking}, {3, one_buffer}, {4, blocking}, {4, one_buffer}, {4, two_buffers}},
                                         {}});
    const std::string place = fmt::format("section 4.2, figure 21({})", name);
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
  }
  return plots;
}

namespace {

Reproduction make(const Making& making) { return reproduction_of(plots_of_fig21(), making); }

}  // namespace

extern const Exhibit liu2002_fig21{
    .id = "liu2002-fig21",
    .title = "A4 and A3 on an SP2, short messages",
    .source = "liu2002, figure 21 and section 4.2",
    .about = about_claims,
    .make = make,
};

}  // namespace quadrille::reproduce
