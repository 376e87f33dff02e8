// SPDX-License-Identifier: BSD-3-Clause
// allgatherv/direct: everybody's share straight to everybody, all at once.
// Source  [grama2003] all-to-all broadcast; the staggered order is that of MPI libraries' linear algorithms.
// Needs   nothing: any sizes.
// Idea    One round holds all p - 1 messages. Rank i names its partners i+1, i+2, .., so that no rank is everybody's first
//         target.
// Cost    C1 = 1 round on p - 1 ports; each rank sends its share p - 1 times and receives each other share once.
// Prefer  few ranks, or a network that takes many messages at once.
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  Regions places;  // of all shares
  Bytes start = 0;
  for (const Bytes count : *problem.counts) {
    places.push_back({Buffer::output, start, count, {}});
    start += count;
  }
  const auto place = [&](Rank rank) { return places[static_cast<std::size_t>(rank)]; };
  const Region own{Buffer::input, 0, place(me).length, {}};

  ProgramBuilder program{me};
  program.stage("exchange");
  program.begin_round();
  program.copy({own}, {place(me)});
  for (Count distance = 1; distance < p; ++distance) {
    const Rank from = (me + p - distance) % p;
    program.send((me + distance) % p, {own});
    program.receive(from, {place(from)});
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm allgatherv_direct{
    .collective = Collective::allgatherv,
    .id = "direct",
    .summary = "everybody's share straight to everybody, all at once, staggered",
    .needs = "",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
};

}  // namespace quadrille
