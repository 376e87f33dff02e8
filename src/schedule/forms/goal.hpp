// SPDX-License-Identifier: BSD-3-Clause
// The operations of a rank in GOAL (Group Operation Assembly Language [hoefler2010]), the text that LogGOPSim and ATLAHS simulate:
// sends, receives and times of computing with labels, and which of them require which others. docs/schedule-format.md describes
// what is written for a schedule.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "foundation/text/printable.hpp"
#include "quadrille/schedule.hpp"
#include "schedule/dependence.hpp"
#include "schedule/ordering.hpp"

namespace quadrille {

// Tags of the messages that a rank exchanges within a group, in all calls of the group. The k-th message from one rank to another
// has the same tag at both ends: first + k step.
class GoalTags {
 public:
  GoalTags(Count first, Count step) : first_(first), step_(step) {}

  Count of_send(Rank to) { return next(sent_[to]); }
  Count of_receive(Rank from) { return next(received_[from]); }

 private:
  Count next(Count& before);  // throws Error{too_large} for a tag of more than 32 bits

  Count first_, step_;
  std::unordered_map<Rank, Count> sent_, received_;
};

// A rank's program in posting order and what it waits for.
struct OrderedProgram {
  Program program;
  DependenceGraph graph;
  Ordering order;
};
OrderedProgram ordered_for_goal(Program program, Policy policy);

class GoalRank {
 public:
  using Label = Count;
  static constexpr Label none = 0;

  GoalRank(Printer& out, Rank rank) : out_(out) { out_.print("\nrank {} {{\n", rank); }

  Label calc(Count nanoseconds, std::span<const Label> after);

  // Writes the messages of a program, which begins after the operation `after`. `members[i]` is the rank of the file that is rank i
  // of the program; empty: the numbers are equal. Returns the label of the last operation.
  Label run(const OrderedProgram& ordered, std::span<const Rank> members, GoalTags& tags, Label after);

  void end() { out_.print("}}\n"); }

 private:
  Printer& out_;
  Label last_ = none;
};

}  // namespace quadrille
