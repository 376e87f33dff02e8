// SPDX-License-Identifier: BSD-3-Clause
// A1, A2 and A4 on a T3D over the number of nodes.
#include "reproduce/exhibits/irregular.hpp"

namespace quadrille::reproduce {
namespace {

using enum ExchangeMode;

Reproduction make(const Making& making) {
  Reproduction made{.remarks = irregular_remarks};
  IrregularTimes times({"a",
                        "t3d",
                        TrafficKind::spike,
                        over_nodes({16, 18, 25, 36, 49, 61, 64, 81, 100}, 1024),
                        {{1, blocking}, {2, blocking}, {4, blocking}, {1, one_buffer}, {2, one_buffer}, {4, one_buffer}}},
                       making, made);
  times.expect_lower({4, blocking}, {{1, blocking}, {2, blocking}}, a4_and_others);
  times.expect_gain({1, one_buffer}, {1, blocking}, 0.5, "a large performance gain");
  for (const int number : {2, 4}) times.expect_smaller_gain(number, 1, "the gains are relatively small");
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig15{
    .id = "liu2002-fig15",
    .title = "A4, A1 and A2 on a T3D, by number of nodes",
    .source = "liu2002, figure 15 and section 4.1",
    .about = "the paper's curves are measured and not in its text, so that its claims about them are compared",
    .make = make,
};

}  // namespace quadrille::reproduce
