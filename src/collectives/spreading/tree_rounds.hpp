// SPDX-License-Identifier: BSD-3-Clause
// Walks through a rank's rounds in a tree; the phases of the tree become stages. Used by algorithms that go down a
// tree. An algorithm that goes up makes the program of an algorithm that goes down, and reverses it.
#pragma once

#include "patterns/tree_position.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {

// Calls receive(edge) and send(edge) in the rounds of the edges. A phase without a name belongs to the current stage.
template <class Receive, class Send>
void go_down(ProgramBuilder& program, const TreePosition& position, Receive&& receive, Send&& send) {
  auto child = position.children.begin();
  Count round = 0;
  for (const TreePhase& phase : position.phases) {
    if (!phase.name.empty()) program.stage(phase.name);
    for (const Count end = round + phase.rounds; round < end; ++round) {
      program.begin_round();
      if (position.parent && position.parent->round == round) receive(*position.parent);
      while (child != position.children.end() && child->round == round) send(*child++);
    }
  }
}

}  // namespace quadrille
