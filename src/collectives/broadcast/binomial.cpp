// SPDX-License-Identifier: BSD-3-Clause
// broadcast/binomial: everybody who has the vector passes it on, twice as many each round.
// Source  [grama2003] one-to-all broadcast; the mapping mod p for numbers of ranks that are no power of two.
// Needs   nothing: any p, any root.
// Idea    A binomial tree from the root, longest branches first. For powers of two the partners are XORs of the rank, which
//         shares no link on a hypercube, a ring or a linear array.
// Cost    C1 = d = ceil(log2 p) rounds, the fewest on one port; C2 = d blocks.
// Prefer  short vectors.
#include "patterns/binomial.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const BinomialTree tree(problem.ranks, problem.root);
  const Count v = tree.virtual_of(me);
  const Region input = block(Buffer::input, 0, problem.block_bytes), output = block(Buffer::output, 0, problem.block_bytes);
  ProgramBuilder program{me};
  program.stage("broadcast");
  for (Count level = tree.depth() - 1; level >= 0; --level) {
    program.begin_round();
    if (tree.level_of(v) == level) program.receive(tree.rank_of(tree.parent_of(v)), {output});
    if (tree.has_child(v, level)) program.send(tree.rank_of(tree.child_of(v, level)), {v == 0 ? input : output});
  }
  if (v == 0) program.copy({input}, {output});
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm broadcast_binomial{
    .collective = Collective::broadcast,
    .id = "binomial",
    .summary = "everybody who has the vector passes it on: the fewest rounds",
    .needs = "",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
