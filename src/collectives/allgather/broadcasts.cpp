// SPDX-License-Identifier: BSD-3-Clause
// allgather/broadcasts: every rank broadcasts its block, one rank after the other.
// Source  [grama2003] all-to-all broadcast on a ring, the naive implementation.
// Needs   nothing: any p.
// Idea    broadcast/binomial from rank 0, then from rank 1, and so on. Most ranks are idle in most rounds.
// Cost    C1 = p ceil(log2 p) rounds, C2 = p ceil(log2 p) blocks.
// Prefer  never; a baseline: ring has p - 1 rounds and a volume of p - 1 blocks.
#include "collectives/spreading/spreading.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Program generate_broadcasts(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Bytes b = problem.block_bytes;
  ProgramBuilder program{me};
  program.expect(problem.ranks, 2);
  program.stage("broadcasts");
  program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, me, b)});
  for (Rank root = 0; root < problem.ranks; ++root) {
    const Region received = block(Buffer::output, root, b);
    go_down(
        program, position_of(BinomialTree(problem.ranks, root), "", me),
        [&](const TreeEdge& edge) { program.receive(edge.peer, {received}); },
        [&](const TreeEdge& edge) { program.send(edge.peer, {root == me ? block(Buffer::input, 0, b) : received}); });
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm allgather_broadcasts{
    .collective = Collective::allgather,
    .id = "broadcasts",
    .summary = "one rank after the other broadcasts its block along a binomial tree: the naive way",
    .picture =
        "One rank after the other broadcasts its block down a tree, while most ranks are idle. It takes p times the rounds of one "
        "broadcast, where a ring has p - 1 rounds in all: it shows what an allgather gains from doing all at once.",
    .source = "grama2003",
    .generate = generate_broadcasts,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
