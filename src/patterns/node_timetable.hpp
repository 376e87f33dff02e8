// SPDX-License-Identifier: BSD-3-Clause
// The hierarchical factor algorithm [sanders2002]: a timetable for exchanges between nodes of any sizes. In each step at most one
// processor of a node sends to another node, and at most one receives from another node. "Processor" is the paper's word for a
// rank; (U, a) is the processor with index a on node U.
//
// The timetable has phases. A node is active until all of its processors have had their turn. In a phase each pair of active
// nodes meets once, in the order given by the factors of their complete graph. When a pair meets, processors of its smaller node
// take turns. If both nodes have the same size, the processors of the first node (matchings) or of the sending node
// (permutations) take turns. In its turn a processor exchanges messages with every processor of the larger node. The number of
// turns is the same for all pairs of a phase: as many as processors of the smallest active node still wait for their turn. The
// processors with index `done` to `current` - 1 take these turns.
//
// With matchings a node receives from the node to which it sends. With permutations these two nodes may differ, and every node
// has a partner in every round. So a phase with the set A of active nodes has |A| - 1 rounds, and each round lasts (current -
// done) n steps, where n is the size of the largest node. Over all phases, the sum of (current - done) |A| is p, and the sum of
// current - done is n. This makes n (p - n) steps for nodes of any sizes. A largest node has to send n (p - n) messages, so no
// timetable takes fewer steps.
//
// If a node has several ports, several factors run at a time (`degree`). In each step both nodes of a pair move on by one
// processor, and the factors start at different processors. So each processor has one message at a time if the sizes allow it.
#pragma once

#include <vector>

#include "patterns/factors.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

enum class OwnNode : std::uint8_t {
  sends,      // a step for each message between processors of one node, as in the paper
  exchanges,  // a step for each pair of processors of one node
  apart,      // the timetable has only pairs of different nodes
};

struct NodePhase {
  Count done = 0, current = 0;  // the processors with index done .. current - 1 of each smaller node take their turns
  std::vector<Count> active;    // nodes in ascending order: those with at least `current` processors
  Count factors = 0;
  Count rounds = 0;  // each has `degree` factors; the last one may have fewer
  Count first_step = 0;
  Count round_steps = 0;   // steps of each round, except the short one
  Count short_round = -1;  // round in which no two largest nodes meet; -1: none
  Count short_steps = 0;   // steps of the short round

  Count round_start(Count round) const {
    return first_step + round * round_steps - (short_round >= 0 && round > short_round ? round_steps - short_steps : 0);
  }
  Count end_step() const { return round_start(rounds); }
};

class NodeTimetable {
 public:
  // All sizes are at least 1. Takes time proportional to the sum of the sizes at most. A degree above 1 requires
  // OwnNode::apart.
  NodeTimetable(std::vector<Count> sizes, OwnNode own_node, Decomposition decomposition);

  const std::vector<NodePhase>& phases() const { return phases_; }  // one for each different size
  Count steps() const { return phases_.back().end_step(); }

  // The step in which (U, a) sends to (V, b). With matchings (V, b) sends to (U, a) in the same step. There are two exceptions:
  // (U, a) and (V, b) are one processor, or they are on one node and own_node is `sends`. U == V is not allowed if own_node is
  // `apart`.
  Count step(Count U, Count a, Count V, Count b) const;

  // The largest number of messages that a processor sends, or receives, in a step.
  static Count processor_ports(const std::vector<Count>& sizes, const Decomposition& decomposition);

 private:
  Count size(Count node) const { return sizes_[index(node)]; }
  Count position(Count node, std::size_t phase) const {  // index among the active nodes
    return positions_[position_starts_[index(node)] + phase];
  }
  Count own_step(Count U, Count a, Count b) const;
  Count first_met(Count turn, Count index, Count large) const;
  Count pair_steps(const NodePhase& phase, Count U, Count V) const;
  void find_short_round(NodePhase& phase, const std::vector<Count>& largest) const;

  std::vector<Count> sizes_;
  OwnNode own_node_;
  Decomposition decomposition_;
  bool has_disjoint_pairs_ = false;  // the factors of a round can use disjoint pairs of processors
  std::vector<NodePhase> phases_;
  std::vector<std::size_t> phase_of_index_;   // the phase in which processors of this index take their turn
  std::vector<std::size_t> position_starts_;  // by node
  std::vector<Count> positions_;              // of each node, phase by phase
};

}  // namespace quadrille
