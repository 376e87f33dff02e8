// SPDX-License-Identifier: BSD-3-Clause
// Returns the program of one rank. It has two independent rounds, a third round that sends what was received in the first two, and
// one round of another stage.
#pragma once

#include "quadrille/program_builder.hpp"

namespace quadrille::testing {

inline Program three_rounds() {
  ProgramBuilder program{0};
  program.stage("first");
  program.begin_round();
  program.send(1, {{Buffer::input, 0, 4}});
  program.receive(1, {{Buffer::output, 0, 4}});
  program.begin_round();
  program.send(2, {{Buffer::input, 4, 4}});
  program.receive(2, {{Buffer::output, 4, 4}});
  program.begin_round();
  program.send(3, {{Buffer::output, 2, 4}});  // bytes of both receives
  program.stage("second");
  program.begin_round();
  program.receive(3, {{Buffer::scratch, 0, 4}});
  return std::move(program).finish();
}

}  // namespace quadrille::testing
