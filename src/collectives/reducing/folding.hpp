// SPDX-License-Identifier: BSD-3-Clause
// Combines operands inside one rank: along the fixed tree, or into prefixes. Also has the functions and texts by which
// records of reductions state their order of combining.
#pragma once

#include <functional>
#include <optional>

#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// Combines operands along the fixed tree, which is allowed for every problem. They are given in rank order, from the lowest rank
// up. Neighbouring partial results over equally many operands are combined at once, like the carries of a binary counter. So for n
// operands at most log2 n partial results are kept. Operands that may be overwritten are combined in place. The result ends in the
// output if one of the operands lies there.
class TreeFold {
 public:
  // Calls `spent(place)` for scratch memory that is no longer needed, because its contents have been combined into
  // another place.
  TreeFold(ProgramBuilder& program, std::function<void(const Region& place)> spent = {})
      : program_(program), spent_(std::move(spent)) {}

  void add(const Region& operand);
  void finish();  // combines the remaining partial results into the output

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

// Every rank sends its vector straight to ranks first_target .. p - 1 in one round, in the order i+1, i+2, .. Rank `me`
// receives the vectors of ranks 0 .. last_source and folds them, with its own vector if `me` is one of these ranks.
Program folded_directly(const Problem& problem, Rank last_source, Rank first_target, Rank me);

// For algorithms that combine in any order, but always keep the operand of the lower rank on the left. With two ranks
// this is the fixed tree.
inline Combining any_order_of_more_than_two(const Problem& problem, const Parameters&) {
  return problem.ranks <= 2 ? Combining::fixed_tree : Combining::any_order;
}
inline constexpr std::string_view any_order_of_more_than_two_rule = "any order; fixed tree if p <= 2";

inline Combining always_fixed_tree(const Problem&, const Parameters&) { return Combining::fixed_tree; }
inline constexpr std::string_view always_fixed_tree_rule = "fixed tree";

inline Combining as_asked_for(const Problem& problem, const Parameters&) {
  return required_combining(problem) == Combining::any_order ? Combining::any_order : Combining::fixed_tree;
}
inline constexpr std::string_view as_asked_for_rule = "any order if the problem allows it, else fixed tree";

// All ranks have the same program up to translation, except for the order of operands. So the symmetry is stated only
// if this order does not matter.
std::optional<Symmetry> translation_of_any_order(const Problem& problem, const Parameters&);

// For reductions to a fixed rank, which forwards the result to the root: returns `combine`, the program of a reduction to rank
// `holder`, followed by a message from `holder` to the problem's root.
Program forwarded_to_root(const Problem& problem, Program combine, Rank holder);

// Builds one rank's program for a scan or an exscan. The rank holds two vectors: its result so far, and the vector that
// it sends to others (`told_`), which is combined over a run of ranks that ends or begins with its own. They are in the
// same memory as long as they are equal.
class PrefixBuilder {
 public:
  PrefixBuilder(const Problem& problem, Rank me, std::string stage);

  // Call these in the order of a round. Data that arrives in one round is combined at the beginning of the next.
  void begin_round();
  void send(Rank to);
  // Receives the combination over the ranks directly below those received so far. If `tell`, it becomes part of the
  // vector that this rank sends later.
  void receive_from_below(Rank from, bool tell);
  // Receives the combination over the ranks directly above. It is not part of the result.
  void receive_from_above(Rank from);

  Program finish() &&;

 private:
  enum class Slot : std::size_t { told, even, odd };

  Region slot(Slot which);  // scratch memory, allocated when it is first used
  Region area();            // alternates between two slots
  void copy(const Region& source, const Region& target);
  void reduce(const Region& source, const Region& target, OperandOrder order);

  const Region input_, output_;
  ProgramBuilder program_;
  std::optional<Region> result_;  // begins with the input for a scan, and with nothing for an exscan
  Region told_;
  std::vector<Local> pending_;
  ByEnum<Slot, std::optional<Count>, 3> slots_;
  Count slot_count_ = 0, areas_used_ = 0;
};

}  // namespace quadrille
