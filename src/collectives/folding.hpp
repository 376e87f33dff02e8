// SPDX-License-Identifier: BSD-3-Clause
// Combining many operands inside one rank, along the fixed tree: so it serves every problem. And what the records of reductions
// say about their order.
#pragma once

#include <functional>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {

// Folds operands that are given from the lowest rank up. Equal neighbours are combined like the digits of a binary counter, so that
// of n operands at most log2 n partial results wait. An operand that may be overwritten takes part in its place; the
// result is left in the output if an operand lies there.
class TreeFold {
 public:
  // `spent(place)` is called for scratch memory whose contents have been combined into something else.
  TreeFold(ProgramBuilder& program, std::function<void(const Region& place)> spent = {})
      : program_(program), spent_(std::move(spent)) {}

  void add(const Region& operand);
  void finish();  // what is left over, into the output

 private:
  struct Partial {
    Region place;
    Count operands;
  };

  void combine_last_two();

  ProgramBuilder& program_;
  std::function<void(const Region& place)> spent_;
  std::vector<Partial> partials_;
};

// Everybody's vector straight to ranks first_target .. p - 1 in one round, i+1, i+2, .. in that order; rank `me` gets those of
// ranks 0 .. last_source and folds them, its own among them if it is one of these.
Program folded_directly(const Problem& problem, Rank last_source, Rank first_target, Rank me);

// Two operands, the lower rank's on the left, are combined along the fixed tree by every algorithm that keeps to this.
inline Combining any_order_of_more_than_two(const Problem& problem, const Parameters&) {
  return problem.ranks <= 2 ? Combining::fixed_tree : Combining::any_order;
}
inline constexpr std::string_view any_order_of_more_than_two_rule = "any order; fixed tree where p <= 2";

inline Combining always_fixed_tree(const Problem&, const Parameters&) { return Combining::fixed_tree; }
inline constexpr std::string_view always_fixed_tree_rule = "fixed tree";

inline Combining as_asked_for(const Problem& problem, const Parameters&) {
  return required_combining(problem) == Combining::any_order ? Combining::any_order : Combining::fixed_tree;
}
inline constexpr std::string_view as_asked_for_rule = "fixed tree where any other order will not do";

// Every rank does the same as its neighbour, but for the order of operands: a symmetry only where the order does not matter.
std::optional<Symmetry> translation_of_any_order(const Problem& problem, const Parameters&);

}  // namespace quadrille
