// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/shift, reduce_scatterv/shift: one partner at a time, at distance 1, 2, ..
// Source  [thakur2005] the pairwise exchange of MPICH.
// Needs   an operator that commutes, if p > 2; shares of any size, which may be empty.
// Idea    In round d - 1, d = 1 .. p-1, rank i sends rank i + d the operand for that rank's block, and receives an operand for
//         its own block from i - d. Rank i combines this operand in the next round.
// Cost    C1 = p - 1 rounds, C2 = p - 1 blocks; a rank keeps 2 blocks in scratch memory, where direct keeps p - 2.
// Prefer  large blocks: each byte travels once, and a rank receives from one rank at a time.
#include <algorithm>

#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "collectives/shares.hpp"

namespace quadrille {
namespace {

Program generate_shift(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const Count p = problem.ranks;
  const Shares& all = shares(analysis);
  const Bytes share = all.of(me);
  const Region own = all.of(Buffer::input, me), result{Buffer::output, 0, share, {}};
  ProgramBuilder program{me};
  program.expect(p, 3);
  program.scratch(std::clamp<Count>(p - 2, 0, 2) * share);
  program.stage("exchange");
  program.begin_round();
  if (p == 1) program.copy({own}, {result});
  for (Count distance = 1; distance < p; ++distance) {
    const Rank to = (me + distance) % p, from = (me + p - distance) % p;
    const Region place = distance == 1 ? result : Region{Buffer::scratch, distance % 2 * share, share, {}};
    program.send(to, {all.of(Buffer::input, to)});
    program.receive(from, {place});
    program.begin_round();
    const bool from_below = from < me;
    if (distance == 1)
      program.reduce({own}, {result}, from_below ? OperandOrder::target_first : OperandOrder::source_first);
    else
      program.reduce({place}, {result}, from_below ? OperandOrder::source_first : OperandOrder::target_first);
  }
  return std::move(program).finish();
}

}  // namespace

Algorithm reduce_scatter_shift(Collective collective) {
  return {
      .collective = collective,
      .id = "shift",
      .summary = "pairwise: send the operand of i+d, receive one from i-d, one distance d per round",
      .picture =
          "Each round is one diagonal of the matrix of the traffic, and each operand goes straight to the rank that needs it. It "
          "is combined while the next one is under way, so a rank keeps two of them, where direct keeps nearly all. The price is p "
          "- 1 rounds.",
      .source = "thakur2005",
      .says =
          [](const Problem& problem, const Parameters&, Count round) {
            return fmt::format("Every rank sends its operand of {} straight to the rank {} further, which combines it",
                               counted_shares(problem, 1), round + 1);
          },
      .generate = generate_shift,
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : translation_of_any_order,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = any_order_of_more_than_two,
      .combining_rule = any_order_of_more_than_two_rule,
  };
}

}  // namespace quadrille
