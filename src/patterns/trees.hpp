// SPDX-License-Identifier: BSD-3-Clause
// Trees along which data goes down from a root, round by round, and the position of one rank in them: the parent that
// sends to this rank, and the children to which this rank sends.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "patterns/integers.hpp"

namespace quadrille {

// The `count` ranks first, first + 1, .. (mod p).
struct RankRange {
  Rank first = 0;
  Count count = 0;
  bool operator==(const RankRange&) const = default;
};

// The binomial tree over p ranks with any root [grama2003]. Each rank has a virtual number v, which is 0 at the root:
// rank ^ root if p is a power of two, else (rank - root) mod p. Levels run from depth - 1 down to 0, one level in each
// round. At level i, every v that is a multiple of 2^(i+1) has the child v + 2^i if this number is below p.
//
// Under both numberings the ranks of a subtree are consecutive. If p is not a power of two, they may wrap around from
// p - 1 to 0.
class BinomialTree {
 public:
  constexpr BinomialTree(Count ranks, Rank root) : p_(ranks), root_(root), depth_(ceil_log2(p_)) {}

  constexpr Count depth() const { return depth_; }  // ceil(log2 p): the number of rounds
  constexpr Count virtual_of(Rank rank) const { return power_of_two() ? rank ^ root_ : (rank - root_ + p_) % p_; }
  constexpr Rank rank_of(Count v) const { return power_of_two() ? v ^ root_ : (v + root_) % p_; }

  // The level at which v receives; v has children at all lower levels.
  constexpr Count level_of(Count v) const { return v == 0 ? depth_ : std::countr_zero(static_cast<std::uint64_t>(v)); }
  constexpr Count parent_of(Count v) const { return v & (v - 1); }
  constexpr bool has_child(Count v, Count level) const { return level < level_of(v) && v + (Count{1} << level) < p_; }
  constexpr Count child_of(Count v, Count level) const { return v + (Count{1} << level); }

  constexpr RankRange subtree_of(Count v) const {
    const Count size = Count{1} << level_of(v);
    if (power_of_two()) return {rank_of(v) & ~(size - 1), size};
    return {rank_of(v), std::min(size, p_ - v)};
  }

 private:
  constexpr bool power_of_two() const { return is_power_of_two(p_); }

  Count p_;
  Rank root_;
  Count depth_;
};

struct TreeEdge {
  Count round = 0;
  Rank peer = 0;
  RankRange ranks;  // the ranks below the edge if they are consecutive; else empty
  bool operator==(const TreeEdge&) const = default;
};

struct TreePhase {
  std::string name;
  Count rounds = 0;
};

struct TreePosition {
  std::vector<TreePhase> phases;   // the same at every rank
  std::optional<TreeEdge> parent;  // none at the root
  std::vector<TreeEdge> children;  // in the order of rounds
  RankRange ranks;                 // the rank itself and those below it if they are consecutive; else empty
};

// The rank's position in the binomial tree, as one phase named `phase`.
TreePosition position_of(const BinomialTree& tree, std::string phase, Rank me);

// Trees with more than two branches, or with other positions than the binomial tree. Ranks are numbered from the root:
// v = (rank - root) mod p.
//
// The order in which rounds decide the digits of a rank's number. `far`: the highest digit first, so that the first messages go
// far. `near`: the lowest digit first.
enum class KnomialOrder : std::uint8_t { far, near };

// The rank's position in the k-nomial tree with k = `radix`, as one phase named `phase`. Numbers have d = ceil(log_k p) digits.
// In each round one digit is decided: a rank that has the data sends it to the k - 1 ranks whose numbers differ from its own in
// this digit. In its own number this digit is still 0.
TreePosition position_in_knomial_tree(Count ranks, Rank root, Count radix, KnomialOrder order, std::string phase, Rank me);

// The rank's position in the tree in which every rank has `fan_out` children until none are left, and all children of a rank
// receive in the same round. Level i has fan_out^i ranks with consecutive numbers, and child j = 1 .. fan_out of v is v + j *
// fan_out^i.
TreePosition position_in_full_tree(Count ranks, Rank root, Count fan_out, std::string phase, Rank me);

// The rank's position in the in-order binary tree. The last rank of a run of n ranks is the root of the run's tree. One of its
// children has the first n / 2 ranks (rounded down) as its run, the other child the remaining ranks. Both children receive in the
// same round. The nearer child is listed first.
TreePosition position_in_in_order_tree(Count ranks, std::string phase, Rank me);

// Where a run of places is cut. If i rounds are left after this round, one part has 2^i places, and the other part has at most as
// many.
enum class LineCut : std::uint8_t {
  fixed_tree,     // the first 2^i places: the cuts of `tree_split`, whatever the root
  around_holder,  // 2^i places on the holder's side, so that the other part, whose data is sent, is as short as possible
};

enum class DimensionOrder : std::uint8_t {
  last_first,   // along a row, then along the columns: the ranks below an edge are not consecutive
  first_first,  // along a column, then along the rows: the ranks below an edge are consecutive
};

// A tree along the dimensions of a mesh [grama2003]. The root's line is served first, then the lines of the next
// dimension through each of its ranks, and so on. A line of n places takes ceil(log2 n) rounds: a rank that holds data
// for a run of places cuts the run in two and sends the data of one part to a rank of this part. Then both parts
// continue independently. So the messages of a round never share a link of a mesh, for any root and any sides. They do
// not share a link of a ring either, because only the first message travels more than half way round.
struct MeshTree {
  std::vector<Count> sides;  // ranks stand row by row: the last dimension varies fastest
  Rank root = 0;
  DimensionOrder order = DimensionOrder::last_first;
  LineCut cut = LineCut::fixed_tree;
};

// The phases are the dimensions with more than one place. If there are none, there is one phase without rounds.
TreePosition position_of(const MeshTree& tree, Rank me);

}  // namespace quadrille
