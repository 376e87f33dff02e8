// SPDX-License-Identifier: BSD-3-Clause
// allgather/ring: pass on to the right what came from the left.
// Source  [grama2003] all-to-all broadcast on a ring.
// Needs   nothing.
// Idea    In round s = 1 .. p-1 rank i passes the block of rank i - s + 1 to i + 1. Every link carries one block a round.
// Cost    C1 = p - 1 rounds, C2 = p - 1 blocks: the least volume on one port.
// Prefer  large blocks and few ranks: messages go to neighbours only, and every one is a single run of memory.
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Rank right = (me + 1) % p, left = (me + p - 1) % p;
  ProgramBuilder program{me};
  program.stage("pass along");
  program.begin_round();
  program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, me, b)});
  for (Count step = 1; step < p; ++step) {
    if (step > 1) program.begin_round();
    const Rank leaving = (me + p - step + 1) % p, arriving = (me + p - step) % p;
    program.send(right, {step == 1 ? block(Buffer::input, 0, b) : block(Buffer::output, leaving, b)});
    program.receive(left, {block(Buffer::output, arriving, b)});
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm allgather_ring{
    .collective = Collective::allgather,
    .id = "ring",
    .summary = "pass on to the right neighbour what came from the left",
    .needs = "",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
