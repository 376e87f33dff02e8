// SPDX-License-Identifier: BSD-3-Clause
// allgather/direct: everybody's block straight to everybody, all at once.
// Source  [grama2003] all-to-all broadcast; the staggered order is that of MPI libraries' linear algorithms.
// Needs   nothing.
// Idea    One round holds all p - 1 messages. Rank i names its partners i+1, i+2, .., so that no rank is everybody's first
//         target.
// Cost    C1 = 1 round on p - 1 ports; each rank sends its block p - 1 times and receives each other block once.
// Prefer  few ranks, or a network that takes many messages at once.
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  ProgramBuilder program{me};
  program.stage("exchange");
  program.begin_round();
  program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, me, b)});
  for (Count distance = 1; distance < p; ++distance) {
    const Rank from = (me + p - distance) % p;
    program.send((me + distance) % p, {block(Buffer::input, 0, b)});
    program.receive(from, {block(Buffer::output, from, b)});
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm allgather_direct{
    .collective = Collective::allgather,
    .id = "direct",
    .summary = "everybody's block straight to everybody, all at once, staggered",
    .needs = "",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
};

}  // namespace quadrille
