// SPDX-License-Identifier: BSD-3-Clause
// Returns a program of rank 1 with one stage of two rounds: a copy and a send, then a receive.
#pragma once

#include <string>
#include <utility>

#include "quadrille/program_builder.hpp"

namespace quadrille::testing {

inline Program two_rounds(const std::string& stage, Bytes scratch) {
  ProgramBuilder program{1};
  program.scratch(scratch);
  program.stage(stage);
  program.begin_round();
  program.copy({{Buffer::input, 2, 4}}, {{Buffer::output, 6, 4}});
  program.send(0, {{Buffer::scratch, 1, 3}});
  program.begin_round();
  program.receive(0, {{Buffer::output, 0, 5}});
  return std::move(program).finish();
}

}  // namespace quadrille::testing
