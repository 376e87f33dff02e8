// SPDX-License-Identifier: BSD-3-Clause
// A4 with two buffers and A3 on an SP2 over the number of nodes.
#include "reproduce/exhibits/irregular_times.hpp"

namespace quadrille::reproduce {

std::vector<IrregularPlot> plots_of_fig23() {
  using enum ExchangeMode;
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : {std::pair("a", TrafficKind::transpose), std::pair("b", TrafficKind::spike)}) {
    IrregularPlot& plot = plots.emplace_back(
        IrregularPlot{name, "sp2", pattern, over_nodes({25, 36, 49, 64, 81, 100}, 4096), {{4, two_buffers}, {3, one_buffer}}, {}});
    plot.claims.push_back(is_lower({4, two_buffers}, {3, one_buffer},
                                   {"In this figure, A4-n2 is always superior to A3-n1", "section 4.2, figure 23"}, a3_and_a4));
  }
  return plots;
}

namespace {

Reproduction make(const Making& making) { return reproduction_of(plots_of_fig23(), making); }

}  // namespace

extern const Exhibit liu2002_fig23{
    .id = "liu2002-fig23",
    .title = "A4-n2 and A3-n1 on an SP2, by number of nodes",
    .source = "liu2002, figure 23 and section 4.2",
    .about =
        "the paper's curves are measured and not in its text, so that its claims about them are compared; figure 23 does not say "
        "its pattern, so both are",
    .make = make,
};

}  // namespace quadrille::reproduce
