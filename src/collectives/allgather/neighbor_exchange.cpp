// SPDX-License-Identifier: BSD-3-Clause
// allgather/neighbor-exchange, allgatherv/neighbor-exchange: neighbours exchange what they received last; left and right
// alternate.
// Source  [chen2005] the neighbor exchange algorithm.
// Needs   p even, or 1; shares of any size, which may be empty.
// Idea    Ranks 2i and 2i + 1 exchange their blocks, so each of them has two blocks. Then rank 2i exchanges pairs of blocks with
//         2i - 1 and 2i + 1 alternately. It first sends its own pair, and later the pair that it received last, which came from
//         its other neighbour.
// Cost    C1 = p / 2 rounds, C2 = p - 1 blocks: the least volume on one port. ring takes about twice as many rounds.
// Prefer  medium blocks where messages between neighbours are cheap: each message goes to a neighbour.
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_neighbor_exchange(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const Count p = problem.ranks;
  const Shares& lengths = shares(analysis);
  const Region own{Buffer::input, 0, lengths.of(me), {}};
  ProgramBuilder program{me};
  program.stage("gather");
  program.begin_round();
  program.copy({own}, {lengths.of(Buffer::output, me)});
  if (p == 1) return std::move(program).finish();
  const Count side = me % 2 == 0 ? 1 : -1;  // the first partner is me + side
  const Rank partners[] = {(me + p + side) % p, (me + p - side) % p};
  program.send(partners[0], {own});
  program.receive(partners[0], {lengths.of(Buffer::output, partners[0])});
  Rank held = me - me % 2;  // the first of the two blocks that are passed on
  for (Count round = 1; round < p / 2; ++round) {
    program.begin_round();
    // A pair of blocks travels two ranks in each round. Pairs come from the right and from the left in turn.
    const Count distance = 2 * ((round + 1) / 2);
    const bool from_right = (round % 2 == 0) == (side > 0);
    const Rank arriving = (me - me % 2 + (from_right ? distance : p - distance)) % p;
    const Rank partner = partners[round % 2];
    program.send(partner, lengths.of(Buffer::output, RankRange{held, 2}));
    program.receive(partner, lengths.of(Buffer::output, RankRange{arriving, 2}));
    held = arriving;
  }
  return std::move(program).finish();
}

std::optional<Symmetry> neighbor_exchange_symmetry(const Problem& problem, const Parameters&) {
  return even_translation(problem.ranks);
}

}  // namespace

Algorithm allgather_neighbor_exchange(Collective collective) {
  return {
      .collective = collective,
      .id = "neighbor-exchange",
      .summary = "exchange with both neighbours in turn, two " + share_word(collective) + "s at a time",
      .picture =
          "Ranks exchange with the left and the right neighbour in turn, and each time pass on what came from the other side. "
          "After the first round it is two parts at a time, so p / 2 rounds do what takes a ring p - 1, and still all messages go "
          "to neighbours.",
      .needs = "p even",
      .source = "chen2005",
      .says =
          [](const Problem& problem, const Parameters&, Count round) {
            return fmt::format(
                "Every rank swaps {} with a neighbour: {}", counted_shares(problem, round == 0 ? 1 : 2),
                round == 0 ? "its own" : "those that it got last, or its own and the first one, go to the other side");
          },
      .generate = generate_neighbor_exchange,
      .applies = [](const Problem& problem, const Parameters&) { return has_even_ranks(problem.ranks); },
      .analyse = Shares::analyse,
      .symmetry = is_irregular(collective) ? nullptr : neighbor_exchange_symmetry,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
  };
}

}  // namespace quadrille
