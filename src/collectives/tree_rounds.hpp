// SPDX-License-Identifier: BSD-3-Clause
// A rank's rounds in a tree, with the tree's phases as stages: what algorithms that go down a tree, or back up, have in common.
#pragma once

#include "patterns/tree_node.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {

// Calls receive(edge) and send(edge) in the edges' rounds. A phase without a name goes on with the stage there is.
template <class Receive, class Send>
void go_down(ProgramBuilder& program, const TreeNode& node, Receive&& receive, Send&& send) {
  auto child = node.children.begin();
  Count round = 0;
  for (const TreePhase& phase : node.phases) {
    if (!phase.name.empty()) program.stage(phase.name);
    for (const Count end = round + phase.rounds; round < end; ++round) {
      program.begin_round();
      if (node.parent && node.parent->round == round) receive(*node.parent);
      if (child != node.children.end() && child->round == round) send(*child++);
    }
  }
}

}  // namespace quadrille
