// SPDX-License-Identifier: BSD-3-Clause
// Reductions among 2^d ranks, for any number of ranks. If p = 2^d + q with 0 < q < 2^d, the first 2 q ranks are pairs of
// neighbours. One rank of a pair, the survivor, combines the vectors of both, and stands for both among the 2^d ranks that go on.
#pragma once

#include <functional>

#include "collectives/shares.hpp"
#include "quadrille/algorithm.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

enum class Survivor : std::uint8_t { lower, upper };  // of a pair

// How survivors are ordered in the group in which they run a schedule: by their numbers 0, 1, .., or by the numbers with reversed
// bits. Reversed, halving with far places first is halving with near survivors first, but its messages are contiguous.
enum class SurvivorOrder : std::uint8_t { by_number, reversed };

// A composition for 2^d survivors. The vector of a survivor is in its input if it has no pair, else at the beginning of scratch
// memory, after `fold`.
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
  // Survivor 0 hands data over to `heir`, which takes its place in the phases that follow.
  void hand_over(Rank heir, Bytes bytes, Places data);

  Regions vector_of(Rank survivor) const;
  // Behind the vector in scratch memory.
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

// Returns the part of a problem of other ranks and sizes, for an operator whose operands may be combined in any order.
Problem part_of_any_order(const Problem& problem, Collective collective, Count ranks, Bytes block_bytes);
Problem part_of_any_order(const Problem& problem, Collective collective, std::vector<Bytes> counts);

// The part of a reduce_scatter(v) that survivors run: each gets the shares of all ranks for which it stands.
Problem part_of_survivors(const FoldedPairs& pairs, const Problem& problem, const Shares& shares);

// The order of combining if survivors with near numbers come first. Folding combines pairs of neighbours, and each pair is a
// subtree of the fixed tree. The fixed tree cuts a run of ranks after the largest power of two below its length. So the exchanges
// follow the tree if all ranks in the first half of the exchange stand for pairs, and the ranks in the second half all stand for
// pairs, all stand for themselves, or are divided in this way again. That is the case if p is the difference of two powers of two.
Combining combining_of_folded(const Problem& problem, const Parameters&);
inline constexpr std::string_view combining_rule_of_folded =
    "rank order; fixed tree if p is a power of two, or the difference of two powers of two";

// The partner of x, one of `count` numbers, in a round; count is a power of two.
using PartnerOfRound = Count (*)(Count x, Count round, Count count);

// An allreduce in which ranks exchange whole partial results with one partner in each round. The partners are those of a butterfly
// over 2^d ranks. Before the exchange the lower rank of a pair sends its vector to the upper rank, and after it the lower rank
// receives the result from the upper rank. The 2^d ranks that exchange are numbered in the order of ranks. The operand of the lower
// rank is on the left. Nothing is copied.
Program exchange_of_vectors(const Problem& problem, PartnerOfRound partner_of, Rank me);

}  // namespace quadrille
