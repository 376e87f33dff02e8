// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/direct, reduce_scatterv/direct: every rank sends its operand of each block straight to the block's owner, all in
// one round.
// Source  [grama2003] all-to-all reduction, the naive way.
// Needs   nothing: any p, any operator; shares of any size, which may be empty. Keeps to the fixed tree if required.
// Idea    One round holds all p - 1 messages, in the order i+1, i+2, .., so that no rank is the first target of all others. The
//         owner combines the operands in its own memory, starting with neighbouring ranks. The first of the operands of other
//         ranks, in the order of combining, is received into the output.
// Cost    C1 = 1 round on p - 1 ports; each rank sends and receives p - 1 blocks, and keeps p - 2 in scratch memory.
// Prefer  few ranks or small blocks on a network that takes many messages at once; results that must be reproducible.
#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "collectives/shares.hpp"

namespace quadrille {
namespace {

// The owner combines along the fixed tree. If any order is allowed, the tree begins with the owner's operand. All ranks then have
// the same program up to translation.
Program exchange_and_fold(const Problem& problem, const Shares& shares, Rank me) {
  const Count p = problem.ranks;
  const Bytes share = shares.of(me);
  const Rank lowest = required_combining(problem) == Combining::any_order ? me : 0;  // the first rank of the fold
  const auto position = [&](Rank rank) { return (rank - lowest + p) % p; };
  const auto place = [&](Rank rank) -> Region {
    if (rank == me) return shares.of(Buffer::input, me);
    const Count others = position(rank) - (position(rank) > position(me) ? 1 : 0);  // number of places before that of `rank`
    if (others == 0) return {Buffer::output, 0, share, {}};
    return {Buffer::scratch, (others - 1) * share, share, {}};
  };
  ProgramBuilder program{me};
  program.expect(p, 3);
  program.scratch(std::max<Count>(p - 2, 0) * share);
  program.stage("exchange");
  program.begin_round();
  for (Count distance = 1; distance < p; ++distance) {
    const Rank to = (me + distance) % p, from = (me + p - distance) % p;
    program.send(to, {shares.of(Buffer::input, to)});
    program.receive(from, {place(from)});
  }
  program.stage("combine");
  program.begin_round();
  TreeFold fold(program);
  for (Count i = 0; i < p; ++i) fold.add(place((lowest + i) % p));
  fold.finish();
  return std::move(program).finish();
}

}  // namespace

Algorithm reduce_scatter_direct(Collective collective) {
  return {
      .collective = collective,
      .id = "direct",
      .summary = "every operand straight to its " + share_word(collective) +
                 "'s owner, which combines them; all at once, in staggered order",
      .picture =
          "Each rank sends every other rank its operand in one round, and each rank combines all operands that arrive. All ranks "
          "can combine in the same order, so results are reproducible; but a rank needs scratch memory for nearly all operands at "
          "once.",
      .source = "grama2003",
      .says = [](const Problem& problem, const Parameters&,
                 Count) { return says_straight_to_all(problem, "its operand of " + counted_shares(problem, 1)); },
      .generate = [](const Problem& problem, const Parameters&, const Analysis* analysis,
                     Rank me) { return exchange_and_fold(problem, shares(analysis), me); },
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : translation_of_any_order,
      .combining = as_asked_for,
      .combining_rule = as_asked_for_rule,
      .tried_between_nodes = with_defaults,
      .tried_with_shares = with_defaults,
  };
}

}  // namespace quadrille
