// SPDX-License-Identifier: BSD-3-Clause
// The hierarchical factor algorithm [sanders2002]: when who meets whom on nodes of any sizes, so that in each step at most one
// of a node's processors sends to another node, and at most one receives from one. Processor (U, a) is the one with index a on
// node U.
//
// The smaller node of a pair, of equal ones the first, lets its processors go one after the other, each to all of the larger
// node's. It does so in phases: in a phase the active nodes (those that have processors left to go) meet in the factors of a
// decomposition of their complete graph, and of each smaller node go as many processors as the smallest active node has left.
//
// By matchings a node sends to the node that it receives from; by permutations the two differ, so that no node is ever left without
// a partner: each of the |A| - 1 rounds of a phase lasts (current - done) n steps. Over all phases (current - done) |A| adds up to
// p and current - done to n, which makes n (p - n) steps for nodes of any sizes, as many as a largest node has messages to send.
//
// Several factors at a time (`degree`) are for nodes with as many ports. There a step moves on at both ends of a pair, and factors
// start at different places, so that where sizes allow it a node's processors have one message each.
#pragma once

#include <vector>

#include "patterns/decomposition.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/types.hpp"

namespace quadrille {

enum class OwnNode : std::uint8_t {
  sends,      // what a node's processors have for each other takes a step each; as printed
  exchanges,  // .. a step for each pair
  apart,      // .. is not in the timetable, which has pairs of different nodes only
};

struct NodePhase {
  Count done = 0, current = 0;  // of each smaller node go the processors with index done .. current - 1
  std::vector<Count> active;    // nodes, ascending: those of at least `current` processors
  Count factors = 0;
  Count rounds = 0;  // of as many factors as the degree, the last perhaps of fewer
  Count first_step = 0;
  Count round_steps = 0;   // of each round
  Count short_round = -1;  // but of this one: none of the largest nodes meets another
  Count short_steps = 0;

  Count round_start(Count round) const {
    return first_step + round * round_steps - (short_round >= 0 && round > short_round ? round_steps - short_steps : 0);
  }
  Count end_step() const { return round_start(rounds); }
};

class NodeTimetable {
 public:
  // Sizes are 1 or more. At a cost of the sum of the sizes, at most.
  // A degree above 1 is for nodes that are apart.
  NodeTimetable(std::vector<Count> sizes, OwnNode own_node, Decomposition decomposition);

  const std::vector<NodePhase>& phases() const { return phases_; }  // as many as there are different sizes
  Count steps() const { return phases_.back().end_step(); }

  // The step in which (U, a) sends to (V, b), and by matchings, if they are not one and the same processor, or on one node that
  // `sends`, the other way as well. Not for U == V where own nodes are apart.
  Count step(Count U, Count a, Count V, Count b) const;

  // Messages that a processor sends, or receives, in a step, at most.
  static Count processor_ports(const std::vector<Count>& sizes, const Decomposition& decomposition);

 private:
  Count size(Count node) const { return sizes_[index(node)]; }
  Count position(Count node, std::size_t phase) const {  // among the active nodes
    return positions_[position_starts_[index(node)] + phase];
  }
  Count own_step(Count U, Count a, Count b) const;
  Count first_met(Count turn, Count index, Count large) const;
  Count pair_steps(const NodePhase& phase, Count U, Count V) const;
  void find_short_round(NodePhase& phase, const std::vector<Count>& largest) const;

  std::vector<Count> sizes_;
  OwnNode own_node_;
  Decomposition decomposition_;
  bool has_disjoint_pairs_ = false;  // of processors, for the factors of a round
  std::vector<NodePhase> phases_;
  std::vector<std::size_t> phase_of_index_;   // the phase in which processors of this index go
  std::vector<std::size_t> position_starts_;  // by node
  std::vector<Count> positions_;              // of each node, phase by phase
};

}  // namespace quadrille
