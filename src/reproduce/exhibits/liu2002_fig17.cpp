// SPDX-License-Identifier: BSD-3-Clause
// A1, A2 and A4 on an SP2 over the number of nodes.
#include "reproduce/exhibits/irregular.hpp"

namespace quadrille::reproduce {
namespace {

using enum ExchangeMode;

Reproduction make(const Making& making) {
  Reproduction made{.remarks = irregular_remarks};
  IrregularTimes times({"a",
                        "sp2",
                        TrafficKind::spike,
                        over_nodes({16, 18, 25, 36, 49, 61, 64, 81, 100}, 1024),
                        {{1, blocking}, {2, blocking}, {4, blocking}, {1, one_buffer}, {2, one_buffer}, {4, one_buffer}}},
                       making, made);
  times.expect_lower({4, blocking}, {{1, blocking}, {2, blocking}}, a4_and_others);
  for (const int number : {1, 2, 4})
    times.expect_gain({number, one_buffer}, {number, blocking}, 0.9, "significant performance gain", no_overlap);
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig17{
    .id = "liu2002-fig17",
    .title = "A4, A1 and A2 on an SP2, by number of nodes",
    .source = "liu2002, figure 17 and section 4.1",
    .about = "the paper's curves are measured and not in its text, so that its claims about them are compared",
    .make = make,
};

}  // namespace quadrille::reproduce
