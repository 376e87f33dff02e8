// SPDX-License-Identifier: BSD-3-Clause
// A1, A2 and A4 on an SP2 over the number of nodes.
#include "reproduce/exhibits/irregular_times.hpp"

namespace quadrille::reproduce {

std::vector<IrregularPlot> plots_of_fig17() {
  using enum ExchangeMode;
  IrregularPlot plot{"a",
                     "sp2",
                     TrafficKind::spike,
                     over_nodes({16, 18, 25, 36, 49, 61, 64, 81, 100}, 1024),
                     {{1, blocking}, {2, blocking}, {4, blocking}, {1, one_buffer}, {2, one_buffer}, {4, one_buffer}},
                     {}};
  for (const int other : {1, 2})
    plot.claims.push_back(is_lower({4, blocking}, {other, blocking},
                                   {"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                                    "section 4.1, figure 17(a)"},
                                   a4_and_others));
  plot.claims.push_back(
      has_gain({1, one_buffer}, {1, blocking}, 0.9,
               {"the performance of the nonblocking version of A1 shows the effectiveness of reducing node contention",
                "section 4.1, figure 17"},
               no_overlap));
  for (const int number : {2, 4})
    plot.claims.push_back(has_gain(
        {number, one_buffer}, {number, blocking}, 0.9,
        {"A2 and A4 achieve significant performance gain when nonblocking mode is used", "section 4.1, figure 17"}, no_overlap));
  return {plot};
}

namespace {

Reproduction make(const Making& making) { return reproduction_of(plots_of_fig17(), making); }

}  // namespace

extern const Exhibit liu2002_fig17{
    .id = "liu2002-fig17",
    .title = "A4, A1 and A2 on an SP2, by number of nodes",
    .source = "liu2002, figure 17 and section 4.1",
    .about = about_claims,
    .make = make,
};

}  // namespace quadrille::reproduce
