// SPDX-License-Identifier: BSD-3-Clause
// alltoall/ring: blocks travel to the right around a ring, and each rank takes out its own.
// Source  [grama2003] all-to-all personalised communication on a ring.
// Needs   nothing.
// Idea    In round s = 0 .. p-2, rank i passes on to i + 1 the p - 1 - s blocks of rank i - s that have not arrived yet. The
//         first of the blocks that a rank receives is for this rank; the other blocks travel on. They are stored in two halves of
//         the scratch buffer, which rounds use alternately.
// Cost    C1 = p - 1 rounds, C2 = p (p - 1) / 2 blocks: the least possible if each rank can send to one neighbour only.
// Prefer  a ring with links in one direction only; on other networks the algorithm only shows the cost of store-and-forward.
#include <algorithm>

#include "collectives/saying.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_ring(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Rank right = (me + 1) % p;
  const Rank left = (me + p - 1) % p;
  ProgramBuilder program{me};
  program.expect(p, 2);
  program.scratch(p > 2 ? std::min<Count>(2, p - 2) * (p - 2) * b : 0);
  const auto travelling = [&](Count step, Count count) {  // the blocks of round `step` that travel on
    return blocks(Buffer::scratch, (step - 1) % 2 * (p - 2), count, b);
  };
  program.stage("pass along");
  program.begin_round();
  program.copy({block(Buffer::input, me, b)}, {block(Buffer::output, me, b)});
  for (Count step = 1; step < p; ++step) {
    if (step > 1) program.begin_round();
    const Rank origin = (me + p - step) % p;  // the rank whose blocks arrive
    program.send(right, step == 1 ? blocks_upward(Buffer::input, right, p - 1, p, b) : Regions{travelling(step - 1, p - step)});
    program.receive(left, {block(Buffer::output, origin, b), travelling(step, p - step - 1)});
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm alltoall_ring{
    .collective = Collective::alltoall,
    .id = "ring",
    .summary = "blocks travel to the right around a ring; every rank takes out its own",
    .picture =
        "Every message goes to the right neighbour, and it is one block shorter than the one before. A block for the left "
        "neighbour travels through all other ranks, so the volume grows with the square of p: that is the price of links that lead "
        "to one neighbour only.",
    .picture_problem = "--topology ring:8 --block 64B",
    .source = "grama2003",
    .says =
        [](const Problem& problem, const Parameters&, Count round) {
          return fmt::format("Every rank passes {} on to the rank 1 further, which keeps the one for itself",
                             counted(problem.ranks - 1 - round, "block"));
        },
    .generate = generate_ring,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
