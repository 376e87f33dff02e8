// SPDX-License-Identifier: BSD-3-Clause
// barrier/binomial: reports that ranks have entered go up a binomial tree; then rank 0 releases all ranks down the same tree.
// Source  [hensgen1988] compares such trees with dissemination.
// Needs   nothing: any p.
// Idea    A rank waits until all ranks below it have entered before it tells its parent. Rank 0 is the root.
// Cost    C1 = 2 ceil(log2 p) rounds of control messages without payload; 2 (p - 1) messages in all, the fewest possible.
// Prefer  many ranks on a network that becomes congested: dissemination takes half the rounds, but sends p messages in each
//         round.
#include "collectives/spreading/spreading.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Program generate_binomial(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const TreePosition down = position_of(BinomialTree(problem.ranks, 0), "leave", me);
  const Count depth = down.phases.front().rounds;
  ProgramBuilder program{me};
  program.stage("enter");
  auto child = down.children.rbegin();
  for (Count round = depth - 1; round >= 0; --round) {
    program.begin_round();
    if (child != down.children.rend() && child->round == round) program.control_receive((child++)->peer, 0);
    if (down.parent && down.parent->round == round) program.control_send(down.parent->peer, 0);
  }
  go_down(
      program, down, [&](const TreeEdge& edge) { program.control_receive(edge.peer, 0); },
      [&](const TreeEdge& edge) { program.control_send(edge.peer, 0); });
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm barrier_binomial{
    .collective = Collective::barrier,
    .id = "binomial",
    .summary = "collect up a binomial tree that ranks have entered, then tell all down the same tree",
    .picture =
        "Reports flow up a tree to rank 0, then the release flows down again. It takes twice the rounds of dissemination, but 2 (p "
        "- 1) messages in all, the fewest possible, which matters on a network that becomes congested.",
    .source = "hensgen1988",
    .generate = generate_binomial,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
