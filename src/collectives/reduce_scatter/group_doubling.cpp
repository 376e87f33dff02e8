// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/group-doubling, reduce_scatterv/group-doubling: partners exchange their partial results for the ranks outside
// their groups.
// Source  [thakur2005] for operators that do not commute; MPI libraries call it recursive doubling.
// Needs   nothing: any p, any operator; shares of any size, which may be empty. Keeps to the fixed tree if required.
// Idea    Before round i the ranks of each group of 2^i have the same partial results; the last group may have fewer ranks. Rank
//         r sends the results for all ranks outside its group to r ^ 2^i, and combines what it gets. If the upper group has fewer
//         ranks, some ranks of the lower group have no partner. Ranks with a partner pass the data on to them, in up to i more
//         rounds.
// Cost    C1 = log2 p rounds and C2 = p log2 p - p + 1 blocks, if p is a power of two: about log2 p - 1 times the least volume.
// Prefer  short blocks and an operator that does not commute, if p is no power of two.
#include <algorithm>

#include "collectives/reducing/folding.hpp"
#include "collectives/shares.hpp"
#include "patterns/covers.hpp"

namespace quadrille {
namespace {

class Exchange {
 public:
  Exchange(const Problem& problem, const Shares& shares, Rank me)
      : p_(problem.ranks), shares_(shares), all_(shares.before(problem.ranks)), me_(me), program_(me) {}

  Program made() && {
    program_.scratch(p_ > 1 ? 2 * all_ : 0);
    program_.stage("exchange");
    program_.begin_round();
    if (p_ > 1) program_.copy({{Buffer::input, 0, all_, {}}}, {{Buffer::scratch, running, all_, {}}});
    for (Count size = 1; size < p_; size *= 2) exchange(size);
    combine();
    const Region own =
        p_ > 1 ? Region{Buffer::scratch, running + shares_.before(me_), shares_.of(me_), {}} : shares_.of(Buffer::input, me_);
    program_.copy({own}, {{Buffer::output, 0, shares_.of(me_), {}}});
    return std::move(program_).finish();
  }

 private:
  static constexpr Bytes running = 0;  // the offset of the partial results in scratch memory; received data follows them

  // Returns the shares of the ranks outside the group that begins with `first`.
  Regions outside(Bytes offset, Rank first, Count size) const {
    const Bytes begin = shares_.before(first), end = shares_.before(std::min(first + size, p_));
    return {{Buffer::scratch, offset, begin, {}}, {Buffer::scratch, offset + end, all_ - end, {}}};
  }

  // Exchanges partial results between groups of `size` ranks.
  void exchange(Count size) {
    const Rank partner = me_ ^ size, mine = me_ & -size, theirs = partner & -size;
    combine();
    if (partner < p_) {
      program_.send(partner, outside(running, mine, size));
      program_.receive(partner, outside(all_, theirs, size));
      arrived_ = outside(all_, theirs, size), from_below_ = theirs < mine;
    }
    program_.begin_round();
    for (const PassingOn& round : passing_on(p_, size, me_)) {
      if (round.to) program_.send(*round.to, outside(all_, theirs, size));
      if (round.from) {
        program_.receive(*round.from, outside(all_, theirs, size));
        arrived_ = outside(all_, theirs, size), from_below_ = false;
      }
      program_.begin_round();
    }
  }

  void combine() {
    Regions target = arrived_;
    for (Region& region : target) region.offset -= all_ - running;
    program_.reduce(std::move(arrived_), std::move(target), from_below_ ? OperandOrder::source_first : OperandOrder::target_first);
    arrived_.clear();
  }

  const Count p_;
  const Shares& shares_;
  const Bytes all_;  // bytes of the vector
  const Rank me_;
  ProgramBuilder program_;
  Regions arrived_;  // combined before the next exchange
  bool from_below_ = false;
};

}  // namespace

Algorithm reduce_scatter_group_doubling(Collective collective) {
  return {
      .collective = collective,
      .id = "group-doubling",
      .summary = "exchange partial results for all ranks outside of groups that double: for any operator and any number of ranks",
      .picture =
          "The messages are hardly shorter from round to round: operands for seven ranks, then for six, then for four, where "
          "recursive halving sends those for four, two and one. So it is for short data, where rounds count and the volume does "
          "not.",
      .source = "thakur2005",
      .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                     Rank me) { return Exchange(problem, shares(analysis), me).made(); },
      .analyse = Shares::analyse,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = always_fixed_tree,
      .combining_rule = always_fixed_tree_rule,
  };
}

}  // namespace quadrille
