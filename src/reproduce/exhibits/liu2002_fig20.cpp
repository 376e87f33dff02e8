// SPDX-License-Identifier: BSD-3-Clause
// A3 and A4 on a T3D for messages from a kilo of elements on, and what their stages take.
#include "reproduce/exhibits/irregular.hpp"

namespace quadrille::reproduce {
namespace {

using enum ExchangeMode;

Reproduction make(const Making& making) {
  Reproduction made{.remarks = irregular_remarks};
  IrregularTimes times({"a", "t3d", TrafficKind::transpose, over_lengths(64, 1024, 8192), {{3, blocking}, {4, blocking}}}, making,
                       made);
  times.expect_lower({4, blocking}, {{3, blocking}});
  add_stages(made, "t3d", {64, 4096});
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig20{
    .id = "liu2002-fig20",
    .title = "A4 and A3 on a T3D, long messages",
    .source = "liu2002, figure 20 and section 4.2",
    .about = "the paper's curves are measured and not in its text, so that its claims about them are compared",
    .make = make,
};

}  // namespace quadrille::reproduce
