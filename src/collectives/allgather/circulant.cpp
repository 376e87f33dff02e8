// SPDX-License-Identifier: BSD-3-Clause
// allgather/circulant: as recursive doubling, for any number of ranks, along skips that halve p.
// Source  [traff2024] all-gather as the reverse of the reduce-scatter.
// Needs   nothing.
// Idea    Skips 1 = s_0 < s_1 < .. < s_d = p with s_k = ceil(s_{k+1} / 2). Before round k a rank holds the blocks of s_k ranks
//         from its own upwards, and gets those of the next s_{k+1} - s_k from the rank s_k above.
// Cost    C1 = ceil(log2 p) rounds, C2 = p - 1 blocks: both the least possible on one port.
// Prefer  any p on one port, whole blocks.
#include "patterns/covers.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Cover skips = halving_cover(p);
  ProgramBuilder program{me};
  program.stage("spread");
  program.begin_round();
  program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, me, b)});
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    if (k > 0) program.begin_round();
    const Count skip = skips[k], count = skips[k + 1] - skip;
    const Rank above = (me + skip) % p, below = (me + p - skip) % p;
    program.send(below, k == 0 ? Regions{block(Buffer::input, 0, b)} : blocks_upward(Buffer::output, me, count, p, b));
    program.receive(above, blocks_upward(Buffer::output, above, count, p, b));
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm allgather_circulant{
    .collective = Collective::allgather,
    .id = "circulant",
    .summary = "double what you hold along skips that halve p: least rounds and volume on one port",
    .needs = "",
    .source = "traff2024",
    .parameters = {},
    .generate = generate,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
