// SPDX-License-Identifier: BSD-3-Clause
// A3 and A4 on a T3D for messages of up to a kilo of elements.
#include <fmt/format.h>

#include "reproduce/exhibits/irregular_times.hpp"

namespace quadrille::reproduce {

std::vector<IrregularPlot> plots_of_fig19() {
  using enum ExchangeMode;
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : {std::pair("a", TrafficKind::spike), std::pair("b", TrafficKind::transpose)}) {
    IrregularPlot& plot =
        plots.emplace_back(IrregularPlot{name,
                                         "t3d",
                                         pattern,
                                         over_lengths(64, 16, 1024),
                                         {{3, blocking}, {3, one_buffer}, {4, blocking}, {4, one_buffer}, {4, two_buffers}},
                                         {}});
    const std::string place = fmt::format("section 4.2, figure 19({})", name);
    plot.claims.push_back(is_lower({3, blocking}, {4, blocking},
                                   {"when 64 processors are used and M_max <= 1k, A3 performs better than A4", place}, a3_and_a4));
    plot.claims.push_back(has_ratio({4, two_buffers}, {4, one_buffer}, Relation::at_least, 0.9,
                                    {"the implementation with dual buffers does not improve significantly the performance", place},
                                    memory_is_shared));
    if (pattern == TrafficKind::transpose)
      plot.claims.push_back(grows_more(
          {3, blocking}, {4, blocking},
          {"the communication time of A3 increases faster than that of A4 as the message size increases in Pattern2", place}));
  }
  return plots;
}

namespace {

Reproduction make(const Making& making) { return reproduction_of(plots_of_fig19(), making); }

}  // namespace

extern const Exhibit liu2002_fig19{
    .id = "liu2002-fig19",
    .title = "A4 and A3 on a T3D, short messages",
    .source = "liu2002, figure 19 and section 4.2",
    .about = about_claims,
    .make = make,
};

}  // namespace quadrille::reproduce
