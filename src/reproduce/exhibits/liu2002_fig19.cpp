// SPDX-License-Identifier: BSD-3-Clause
// A3 and A4 on a T3D for messages of up to a kilo of elements.
#include "reproduce/exhibits/irregular.hpp"

namespace quadrille::reproduce {
namespace {

using enum ExchangeMode;

Reproduction make(const Making& making) {
  Reproduction made{.remarks = irregular_remarks};
  for (const auto& [name, pattern] : {std::pair("a", TrafficKind::spike), std::pair("b", TrafficKind::transpose)}) {
    IrregularTimes times({name,
                          "t3d",
                          pattern,
                          over_lengths(64, 16, 1024),
                          {{3, blocking}, {3, one_buffer}, {4, blocking}, {4, one_buffer}, {4, two_buffers}}},
                         making, made);
    times.expect_lower({3, blocking}, {{4, blocking}}, a3_and_a4);
    times.expect_ratio({4, two_buffers}, {4, one_buffer}, Relation::at_least, 0.9, "dual buffers does not improve significantly");
    if (pattern == TrafficKind::transpose) times.expect_more_growth({3, blocking}, {4, blocking});
  }
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig19{
    .id = "liu2002-fig19",
    .title = "A4 and A3 on a T3D, short messages",
    .source = "liu2002, figure 19 and section 4.2",
    .about = "the paper's curves are measured and not in its text, so that its claims about them are compared",
    .make = make,
};

}  // namespace quadrille::reproduce
