// SPDX-License-Identifier: BSD-3-Clause
// Combines operands inside one rank: along the fixed tree, or into prefixes. Also has the functions and texts by which
// records of reductions state their order of combining.
#pragma once

#include <functional>
#include <optional>

#include "collectives/shares.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/schedule.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

// Combines operands along the fixed tree, which is allowed for every problem. Operands are added in rank order, from the lowest
// rank up. Neighbouring partial results over equally many operands are combined immediately, like the carries of a binary
// counter. So for n operands at most log2 n partial results are kept. Operands that may be overwritten are combined in place. The
// result is left in the output if one of the operands lies there.
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

// Returns `combine`, the program of a reduction to rank `holder`, followed by a message with the result from `holder` to the
// problem's root.
Program forwarded_to_root(const Problem& problem, Program combine, Rank holder);

// Builds one rank's program for a scan or an exscan. The rank holds two vectors: its result so far, and the vector that it sends
// to others (`told_`), which is combined over a run of ranks that ends or begins with this rank. The two vectors share memory
// while they are equal.
class PrefixBuilder {
 public:
  PrefixBuilder(const Problem& problem, Rank me, std::string stage);

  // In each round call begin_round first. Data that arrives in one round is combined at the beginning of the next.
  void begin_round();
  void send(Rank to);
  // Receives the partial result of the ranks directly below those whose data has arrived so far. If `tell` is true, it becomes
  // part of the vector that this rank sends later.
  void receive_from_below(Rank from, bool tell);
  // Receives the partial result of the ranks directly above, which is not part of this rank's result.
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

// Reductions among 2^d ranks, for any number of ranks. If p = 2^d + q with 0 < q < 2^d, the first 2 q ranks are pairs of
// neighbours. One rank of a pair, the survivor, combines the vectors of both, and stands for both among the 2^d ranks that go on.

enum class Survivor : std::uint8_t { lower, upper };  // which rank of a pair survives

// How survivors are ordered in the group in which they run a schedule: by their numbers 0, 1, .., or by the numbers with reversed
// bits. With reversed bits, halving with far places first begins with near survivors, and its messages are contiguous.
enum class SurvivorOrder : std::uint8_t { by_number, reversed };

// A composition for 2^d survivors. The vector of a survivor that is in no pair is in its input. `fold` puts the combined vector
// of a pair at the beginning of scratch memory.
class FoldedPairs : public Analysis, public Composition {
 public:
  FoldedPairs(const Problem& problem, Survivor survivor);

  Count survivors() const { return survivors_; }
  Count pairs() const { return pairs_; }
  bool in_pair(Rank rank) const { return rank < 2 * pairs_; }
  bool survives(Rank rank) const { return !in_pair(rank) || rank == survivor(rank / 2); }
  Count number_of(Rank rank) const { return in_pair(rank) ? rank / 2 : rank - pairs_; }  // of the survivor that stands for the rank
  Rank survivor(Count number) const;
  RankRange stands_for(Count number) const;
  Count reversed(Count number) const;  // the number with its d bits in the reverse order
  Bytes vector_bytes() const { return vector_bytes_; }

  // The phases. In `fold`, pairs combine their vectors by an algorithm for reduce.
  using Step = std::function<std::optional<GroupStep>(Rank)>;
  void fold(const std::string& algorithm);
  void add(std::string stage, Count rounds, Step step);
  // A phase of the survivors, whose buffers lie in these places.
  using Places = std::function<Regions(Rank)>;
  void add_of_survivors(std::string stage, SurvivorOrder order, const Problem& part, const std::string& algorithm, Places input,
                        Places output);
  // Survivor 0 sends data to `heir`, which replaces survivor 0 in the phases that follow.
  void hand_over(Rank heir, Bytes bytes, Places data);

  Regions vector_of(Rank survivor) const;
  // Returns the place of `bytes` bytes behind the vector in scratch memory.
  Region behind_vector(Rank survivor, Bytes bytes) const;
  std::span<const Rank> pair_of(Rank rank) const { return std::span(ranks_).subspan(index(rank / 2 * 2), 2); }

  std::vector<Stage> stages() const override;
  std::size_t phase_count() const override { return phases_.size(); }
  Count first_round(std::size_t phase) const override { return phases_[phase].first_round; }
  std::optional<GroupStep> step(std::size_t phase, Rank rank) const override { return phases_[phase].step(rank); }

 private:
  struct Group {  // survivors, or the heir instead of the first of them
    SurvivorOrder order;
    std::vector<Rank> ranks;
  };
  std::optional<Count> place_in(const Group& group, Rank rank) const;  // nothing if the rank is not in it

  struct Phase {
    std::string stage;
    Count first_round = 0, rounds = 0;
    Step step;
  };

  Problem problem_;
  Survivor survivor_;
  Count survivors_, pairs_;
  Bytes vector_bytes_;
  std::vector<Rank> ranks_;  // all
  std::optional<Rank> heir_;
  std::vector<Phase> phases_;
};

// The parameter `fold`: how pairs combine their vectors. The second function returns pairs that are folded in this way; with halves
// the lower rank survives.
Parameter fold_parameter();
std::shared_ptr<FoldedPairs> folded_by(const Problem& problem, const Parameters& parameters, Survivor of_whole);

// The program of a rank, for records whose `analyse` returns a FoldedPairs.
Program folded_program(const Problem&, const Parameters&, const Analysis* analysis, Rank me);

// Returns the problem that a part of the ranks solves: another collective with fewer ranks and other sizes, of the same elements.
// Its operator may combine operands in any order.
Problem part_of_any_order(const Problem& problem, Collective collective, Count ranks, Bytes block_bytes);
Problem part_of_any_order(const Problem& problem, Collective collective, std::vector<Bytes> counts);

// The part of a reduce_scatter(v) that survivors run: each gets the shares of all ranks for which it stands.
Problem part_of_survivors(const FoldedPairs& pairs, const Problem& problem, const Shares& shares);

// The order of combining if survivors with near numbers exchange first. Folding combines pairs of neighbours, and each pair is a
// subtree of the fixed tree. The fixed tree cuts a run of ranks after the largest power of two below its length. So the exchanges
// follow the tree if all ranks in the first half of the exchange stand for pairs, and the ranks in the second half all stand for
// pairs, all stand for themselves, or are divided in this way again. That is the case if p is the difference of two powers of
// two.
Combining combining_of_folded(const Problem& problem, const Parameters&);
inline constexpr std::string_view combining_rule_of_folded =
    "rank order; fixed tree if p is a power of two, or the difference of two powers of two";

// The partner of x, one of `count` numbers, in a round; count is a power of two.
using PartnerOfRound = Count (*)(Count x, Count round, Count count);

// An allreduce in which ranks exchange whole partial results with one partner in each round. The partners are those of a butterfly
// over 2^d ranks. Before the exchange the lower rank of a pair sends its vector to the upper rank, and after the exchange the
// lower rank receives the result from the upper rank. The 2^d ranks that exchange are numbered in the order of ranks. The operand
// of the lower rank is on the left. Nothing is copied.
Program exchange_of_vectors(const Problem& problem, PartnerOfRound partner_of, Rank me);

}  // namespace quadrille
