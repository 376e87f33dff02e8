// SPDX-License-Identifier: BSD-3-Clause
// A1, A2 and A4 on a T3D over the longest message.
#include <fmt/format.h>

#include "reproduce/exhibits/irregular_times.hpp"

namespace quadrille::reproduce {

std::vector<IrregularPlot> plots_of_fig16() {
  using enum ExchangeMode;
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : {std::pair("a", TrafficKind::spike), std::pair("b", TrafficKind::transpose)}) {
    IrregularPlot& plot = plots.emplace_back(
        IrregularPlot{name,
                      "t3d",
                      pattern,
                      over_lengths(64, 16, 1024),
                      {{1, blocking}, {2, blocking}, {4, blocking}, {1, one_buffer}, {2, one_buffer}, {4, one_buffer}},
                      {}});
    for (const int other : {1, 2})
      plot.claims.push_back(
          is_lower({4, blocking}, {other, blocking},
                   {"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                    fmt::format("section 4.1, figure 16({})", name)},
                   a4_and_others));
  }
  return plots;
}

namespace {

Reproduction make(const Making& making) { return reproduction_of(plots_of_fig16(), making); }

}  // namespace

extern const Exhibit liu2002_fig16{
    .id = "liu2002-fig16",
    .title = "A4, A1 and A2 on a T3D, by length of messages",
    .source = "liu2002, figure 16 and section 4.1",
    .about = about_claims,
    .make = make,
};

}  // namespace quadrille::reproduce
