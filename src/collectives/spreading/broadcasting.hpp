// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts that are also used, run backwards, as reductions: down a tree, over a circulant graph, and down a full tree.
#pragma once

#include "patterns/trees.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {

// Walks through a rank's rounds in a tree; the phases of the tree become stages. Used by algorithms that go down a
// tree. An algorithm that goes up makes the program of an algorithm that goes down, and reverses it. Calls receive(edge) and
// send(edge) in the rounds of the edges. A phase without a name belongs to the current stage.
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

// Down a tree: every rank that has the vector, of `bytes` bytes, passes it on.
Program broadcast_by_tree(const TreePosition& position, Bytes bytes, Rank me);

// A pipeline of segments over a circulant graph: in round k rank r receives from r - s_k and sends to r + s_k.
Program broadcast_by_skips(const Problem& problem, Count segments, std::string stage, Rank me);
Parameter segments_of_skips();

// A pipeline of segments down the tree in which every rank has `fan-out` children, with the parameters below; `stage` names its
// stage.
Program broadcast_by_full_tree(const Problem& problem, const Parameters& parameters, std::string stage, Rank me);

std::vector<Parameter> full_tree_parameters();  // fan-out, segments

// The most messages that a rank sends in one round of the broadcast.
Count full_tree_ports(const Problem& problem, const Parameters& parameters);

}  // namespace quadrille
