// SPDX-License-Identifier: BSD-3-Clause
// broadcast/split-tree: each half of the vector goes down one half of a binary tree, then pairs of ranks exchange their halves.
// Source  [pjesivac2007] the split binary tree of Open MPI.
// Needs   nothing: any p, any root.
// Idea    The tree is that of broadcast/tree with fan-out 2, and ranks are numbered from the root. Odd numbers are in the subtree
//         of the root's first child and get the first half of the vector. Even numbers get the second half. At last 2 i - 1 and
//         2 i exchange halves. If p is even, the last rank has no partner and gets its other half from the root.
// Cost    C1 = depth + 1 rounds on 2 ports, C2 = (depth + 1) b / 2 bytes; the depth is about log2 p.
// Prefer  long vectors among a moderate number of ranks: broadcast/tree in one segment takes about twice the bytes.
#include "collectives/shares.hpp"
#include "patterns/trees.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_split_tree(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Rank root = problem.root;
  const auto number_of = [&](Rank rank) { return (rank - root + p) % p; };
  const auto rank_of = [&](Count number) { return (number + root) % p; };
  const auto half_of = [&](Count number) { return number % 2 == 1 ? 0 : 1; };
  const auto half = [&](Buffer buffer, Count index) { return segment(buffer, problem, 2, index); };
  const TreePosition position = position_in_full_tree(p, root, 2, "down the tree", me);
  const Count v = number_of(me), depth = position.phases.front().rounds;
  const Buffer held = v == 0 ? Buffer::input : Buffer::output;
  ProgramBuilder program{me};
  program.stage("down the tree");
  for (Count round = 0; round < depth; ++round) {
    program.begin_round();
    if (position.parent && position.parent->round == round)
      program.receive(position.parent->peer, {half(Buffer::output, half_of(v))});
    for (const TreeEdge& edge : position.children)
      if (edge.round == round) program.send(edge.peer, {half(held, half_of(number_of(edge.peer)))});
  }
  if (p > 1) {
    program.stage("exchange halves");
    program.begin_round();
  }
  const Count partner = v % 2 == 1 ? v + 1 : v - 1;
  if (v > 0 && partner < p) {
    program.send(rank_of(partner), {half(held, half_of(v))});
    program.receive(rank_of(partner), {half(Buffer::output, half_of(partner))});
  }
  if (p % 2 == 0 && v == p - 1) program.receive(root, {half(Buffer::output, 1)});
  if (p % 2 == 0 && v == 0) program.send(rank_of(p - 1), {half(held, 1)});
  if (v == 0) program.copy({block(Buffer::input, 0, problem.block_bytes)}, {block(Buffer::output, 0, problem.block_bytes)});
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm broadcast_split_tree{
    .collective = Collective::broadcast,
    .id = "split-tree",
    .summary = "each half of the vector goes down one half of a binary tree, then pairs of ranks exchange their halves",
    .picture =
        "On the way down every message is half of the vector, and in the last round the two sides of the tree give each other the "
        "half that they lack. Here rank 7 has no partner and gets it from the root. Each link of the tree carries half as much as "
        "if the whole vector went down it, for one round more.",
    .source = "pjesivac2007",
    .generate = generate_split_tree,
    .cuts_blocks = true,
    .ports = [](const Problem&, const Parameters&) { return Count{2}; },
};

}  // namespace quadrille
