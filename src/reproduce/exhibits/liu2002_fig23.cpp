// SPDX-License-Identifier: BSD-3-Clause
// A4 with two buffers and A3 on an SP2 over the number of nodes.
#include "reproduce/exhibits/irregular.hpp"

namespace quadrille::reproduce {
namespace {

using enum ExchangeMode;

Reproduction make(const Making& making) {
  Reproduction made{.remarks = irregular_remarks};
  for (const auto& [name, pattern] : {std::pair("a", TrafficKind::transpose), std::pair("b", TrafficKind::spike)}) {
    IrregularTimes times({name, "sp2", pattern, over_nodes({25, 36, 49, 64, 81, 100}, 4096), {{4, two_buffers}, {3, one_buffer}}},
                         making, made);
    times.expect_lower({4, two_buffers}, {{3, one_buffer}}, a3_and_a4);
  }
  return made;
}

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
