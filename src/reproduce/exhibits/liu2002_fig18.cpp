// SPDX-License-Identifier: BSD-3-Clause
// A1, A2 and A4 on an SP2 over the longest message.
#include <fmt/format.h>

#include "reproduce/exhibits/irregular_times.hpp"

namespace quadrille::reproduce {

std::vector<IrregularPlot> plots_of_fig18() {
  using enum ExchangeMode;
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : {std::pair("a", TrafficKind::spike), std::pair("b", TrafficKind::transpose)}) {
    IrregularPlot& plot = plots.emplace_back(
        IrregularPlot{name,
                      "sp2",
                      pattern,
                      over_lengths(64, 16, 1024),
                      {{1, blocking}, {2, blocking}, {4, blocking}, {1, one_buffer}, {2, one_buffer}, {4, one_buffer}},
                      {}});
    for (const int other : {1, 2})
      plot.claims.push_back(
          is_lower({4, blocking}, {other, blocking},
                   {"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                    fmt::format("section 4.1, figure 18({})", name)},
                   a4_and_others));
    for (const int number : {2, 4})
      plot.claims.push_back(has_gain({number, one_buffer}, {number, blocking}, 0.9,
                                     {"A2 and A4 achieve significant performance gain when nonblocking mode is used",
                                      fmt::format("section 4.1, figure 18({})", name)},
                                     no_overlap));
  }
  return plots;
}

namespace {

Reproduction make(const Making& making) { return reproduction_of(plots_of_fig18(), making); }

}  // namespace

extern const Exhibit liu2002_fig18{
    .id = "liu2002-fig18",
    .title = "A4, A1 and A2 on an SP2, by length of messages",
    .source = "liu2002, figure 18 and section 4.1",
    .about = about_claims,
    .make = make,
};

}  // namespace quadrille::reproduce
