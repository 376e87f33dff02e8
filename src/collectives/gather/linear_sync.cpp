// SPDX-License-Identifier: BSD-3-Clause
// gather/linear-sync: the root asks one rank after the other for its block.
// Source  [pjesivac2007] the linear gather with synchronisation of Open MPI, with blocks in one piece.
// Needs   nothing: any p, any root.
// Idea    The root tells a rank to send, and asks the next one when the block has arrived. So no block waits at the root to be
//         received. After its block a rank sends a control message, which stands for the second piece of the block in Open MPI.
// Cost    C1 = p - 1 rounds with blocks, each after a round with a control message; C2 = p - 1 blocks.
// Prefer  never; a baseline: linear with ports=1 also receives the blocks one by one, and the root need not ask for them.
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_linear_sync(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Rank root = problem.root;
  const Bytes b = problem.block_bytes;
  ProgramBuilder program{me};
  program.expect(p, 4);
  program.stage("gather");
  if (me != root) {
    const Count before = me < root ? me : me - 1;  // number of ranks that the root asks before `me`
    program.skip_rounds(2 * before);
    program.begin_round();
    program.control_receive(root, 0);
    program.begin_round();
    program.send(root, {block(Buffer::input, 0, b)});
    program.control_send(root, 0);
    program.skip_rounds(2 * (p - 2 - before));
    return std::move(program).finish();
  }
  program.begin_round();
  program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, me, b)});
  for (Rank rank = 0, first = root == 0 ? 1 : 0; rank < p; ++rank) {
    if (rank == root) continue;
    if (rank != first) program.begin_round();
    program.control_send(rank, 0);
    program.begin_round();
    program.receive(rank, {block(Buffer::output, rank, b)});
    program.control_receive(rank, 0);
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm gather_linear_sync{
    .collective = Collective::gather,
    .id = "linear-sync",
    .summary = "the root asks one rank after the other for its block",
    .picture =
        "The root deals with one rank at a time, so all others wait most of the time, and there are two rounds for each of them. "
        "In return blocks do not pile up at the root. It is here to be compared with: linear with one port takes the blocks one by "
        "one without asking.",
    .source = "pjesivac2007",
    .generate = generate_linear_sync,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
