// SPDX-License-Identifier: BSD-3-Clause
// broadcast/linear: the root sends the vector to every other rank.
// Source  [grama2003] one-to-all broadcast, the naive way.
// Needs   nothing: any p, any root.
// Idea    The root sends to root + 1, root + 2, .. in that order, `ports` messages in each round.
// Cost    C1 = ceil((p - 1) / ports) rounds and C2 = C1 blocks; the root sends p - 1 blocks.
// Prefer  two or three ranks, or short vectors if the network takes many messages at once.
#include "collectives/spreading/spreading.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_linear(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Rank root = problem.root;
  const Count ports = number(parameters, "ports");
  const Region input = block(Buffer::input, 0, problem.block_bytes), output = block(Buffer::output, 0, problem.block_bytes);
  ProgramBuilder program{me};
  program.stage("broadcast");
  if (me != root) {
    const Count rounds = ceil_divide(p - 1, ports), round = ((me - root + p) % p - 1) / ports;
    program.skip_rounds(round + 1);
    program.receive(root, {output});
    program.skip_rounds(rounds - round - 1);
    return std::move(program).finish();
  }
  program.expect(p);
  for (Count distance = 1; distance < p; ++distance) {
    if ((distance - 1) % ports == 0) program.begin_round();
    program.send((root + distance) % p, {input});
  }
  program.copy({input}, {output});
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm broadcast_linear{
    .collective = Collective::broadcast,
    .id = "linear",
    .summary = "the root sends the vector to every other rank",
    .picture =
        "Only the root sends, to every other rank in one round, so p - 1 vectors leave by its link while all other links carry one "
        "or none. It is for two or three ranks, or for short vectors on a network that takes many messages of a rank at once.",
    .source = "grama2003",
    .parameters = {ports_of_root("messages that the root sends in one round")},
    .generate = generate_linear,
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
};

}  // namespace quadrille
