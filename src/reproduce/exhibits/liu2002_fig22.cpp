// SPDX-License-Identifier: BSD-3-Clause
// A3 and A4 on an SP2 for messages from a kilo of elements on, and what their stages take.
#include "reproduce/exhibits/irregular.hpp"

namespace quadrille::reproduce {
namespace {

using enum ExchangeMode;

Reproduction make(const Making& making) {
  Reproduction made{.remarks = irregular_remarks};
  for (const auto& [name, pattern] : {std::pair("a", TrafficKind::spike), std::pair("b", TrafficKind::transpose)}) {
    IrregularTimes times({name,
                          "sp2",
                          pattern,
                          over_lengths(64, 1024, 8192),
                          {{3, blocking}, {3, one_buffer}, {4, blocking}, {4, one_buffer}, {4, two_buffers}}},
                         making, made);
    if (pattern == TrafficKind::spike)
      times.expect_lower({3, one_buffer}, {{3, blocking}, {4, blocking}, {4, one_buffer}, {4, two_buffers}}, a3_and_a4);
    else
      times.expect_lower({4, two_buffers}, {{3, blocking}, {3, one_buffer}, {4, blocking}, {4, one_buffer}}, a3_and_a4);
    times.expect_ratio({4, two_buffers}, {4, one_buffer}, Relation::at_most, 0.99, "dual send buffers performs better",
                       no_composing);
  }
  add_stages(made, "sp2", {64, 4096});
  add_second_buffer(made, "sp2", {64, 4096}, 0.5, 0.99);
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig22{
    .id = "liu2002-fig22",
    .title = "A4 and A3 on an SP2, long messages",
    .source = "liu2002, figure 22 and section 4.2",
    .about = "the paper's curves are measured and not in its text, so that its claims about them are compared",
    .make = make,
};

}  // namespace quadrille::reproduce
