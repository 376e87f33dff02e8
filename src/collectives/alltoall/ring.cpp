// SPDX-License-Identifier: BSD-3-Clause
// alltoall/ring: blocks travel around a ring to the right, each rank takes out its own.
// Source  [grama2003] all-to-all personalised communication on a ring.
// Needs   nothing.
// Idea    In round s = 0 .. p-2 rank i passes to i + 1 the p - 1 - s blocks of rank i - s that are still under way. The
//         first of those that arrive is for the receiver, the others travel on.
// Cost    C1 = p - 1 rounds, C2 = p (p - 1) / 2 blocks: the least where links lead to one neighbour only.
// Prefer  nothing but a one-way ring; elsewhere it shows what store-and-forward costs.
#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

// What travels on waits in one of two halves of the scratch buffer, which take turns.
Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Rank right = (me + 1) % p;
  const Rank left = (me + p - 1) % p;
  ProgramBuilder program{me};
  program.expect(p, 2);
  program.scratch(p > 2 ? std::min<Count>(2, p - 2) * (p - 2) * b : 0);
  const auto travelling = [&](Count step, Count count) {  // what is left of the message of round `step`
    return blocks(Buffer::scratch, (step - 1) % 2 * (p - 2), count, b);
  };
  program.stage("pass along");
  program.begin_round();
  program.copy({block(Buffer::input, me, b)}, {block(Buffer::output, me, b)});
  for (Count step = 1; step < p; ++step) {
    if (step > 1) program.begin_round();
    const Rank origin = (me + p - step) % p;  // of what arrives
    program.send(right, step == 1 ? blocks_upward(Buffer::input, right, p - 1, p, b) : Regions{travelling(step - 1, p - step)});
    program.receive(left, {block(Buffer::output, origin, b), travelling(step, p - step - 1)});
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm alltoall_ring{
    .collective = Collective::alltoall,
    .id = "ring",
    .summary = "pass along to the right neighbour; every rank takes out what is its own",
    .source = "grama2003",
    .generate = generate,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
