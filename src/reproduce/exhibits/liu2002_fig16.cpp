// SPDX-License-Identifier: BSD-3-Clause
// A1, A2 and A4 on a T3D over the longest message.
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
                          {{1, blocking}, {2, blocking}, {4, blocking}, {1, one_buffer}, {2, one_buffer}, {4, one_buffer}}},
                         making, made);
    times.expect_lower({4, blocking}, {{1, blocking}, {2, blocking}}, a4_and_others);
  }
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig16{
    .id = "liu2002-fig16",
    .title = "A4, A1 and A2 on a T3D, by length of messages",
    .source = "liu2002, figure 16 and section 4.1",
    .about = "the paper's curves are measured and not in its text, so that its claims about them are compared",
    .make = make,
};

}  // namespace quadrille::reproduce
