// SPDX-License-Identifier: BSD-3-Clause
// A3 and A4 on a T3D for messages from a kilo of elements on, what their stages take, and what they spend it on.
#include "reproduce/exhibits/irregular_composing.hpp"

namespace quadrille::reproduce {

std::vector<IrregularPlot> plots_of_fig20() {
  using enum ExchangeMode;
  IrregularPlot plot{"a", "t3d", TrafficKind::transpose, over_lengths(64, 1024, 8192), {{3, blocking}, {4, blocking}}, {}};
  plot.claims.push_back(
      is_lower({4, blocking}, {3, blocking},
               {"Although A4 requires two more stages, it has superior performance as compared to A3", "section 4.2, figure 20"}));
  return {plot};
}

namespace {

Reproduction make(const Making& making) {
  const IrregularPlot plot = plots_of_fig20().front();
  Reproduction made = reproduction_of({plot}, making);
  const Quotation said{"The hot-spots encountered in A3 .. result in much larger latencies when C-Comm or R-Comm is performed",
                       "section 4.2, figure 20"};
  add_stages(made, "t3d", {64, 4096}, said);
  add_parts(made, plot, said, making);
  made.remarks.emplace_back(parts_remark);
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig20{
    .id = "liu2002-fig20",
    .title = "A4 and A3 on a T3D, long messages",
    .source = "liu2002, figure 20 and section 4.2",
    .about = about_claims,
    .make = make,
};

}  // namespace quadrille::reproduce
