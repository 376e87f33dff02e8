// SPDX-License-Identifier: BSD-3-Clause
// scatter/linear, scatterv/linear, gather/linear, gatherv/linear: the root sends each rank its block, or receives each rank's
// block.
// Source  [grama2003] one-to-all personalised communication; a gather runs it backwards.
// Needs   nothing: any p, any root, shares of any size, which may be empty.
// Idea    The root sends to root + 1, root + 2, .. in that order, `ports` messages in each round. In a gather the rounds are in
//         the reverse order: the root first receives from root - 1, root - 2, ..
// Cost    C1 = ceil((p - 1) / ports) rounds (or fewer, if shares are empty) and C2 = C1 blocks; each block moves once.
// Prefer  large blocks: no block is moved twice.
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program scatter_from_root(const Problem& problem, const Shares& shares, Count ports, Rank me) {
  const Count p = problem.ranks;
  const Rank root = problem.root;
  const Count rounds = ceil_divide(p - 1, ports);
  ProgramBuilder program{me};
  program.stage(stage_of_scattering(problem));
  if (me != root) {
    const Count round = ((me - root + p) % p - 1) / ports;
    program.skip_rounds(round + 1);
    program.receive(root, {{Buffer::output, 0, shares.of(me), {}}});
    program.skip_rounds(rounds - round - 1);
    return std::move(program).finish();
  }
  program.expect(p);
  program.begin_round();
  program.copy({shares.of(Buffer::input, me)}, {{Buffer::output, 0, shares.of(me), {}}});
  for (Count distance = 1; distance < p; ++distance) {
    if (distance > 1 && (distance - 1) % ports == 0) program.begin_round();
    program.send((root + distance) % p, {shares.of(Buffer::input, (root + distance) % p)});
  }
  return std::move(program).finish();
}

}  // namespace

Algorithm scatter_linear(Collective collective) {
  return {
      .collective = collective,
      .id = "linear",
      .summary = is_gather(collective) ? "every rank sends its " + share_word(collective) + " straight to the root"
                                       : "the root sends every rank its " + share_word(collective),
      .picture = is_gather(collective)
                     ? "Only the root receives, one message from each rank, in one round. No byte travels twice, which suits long "
                       "data; but the root has to deal with p - 1 messages by itself, while the other ranks send once and are done."
                     : "Only the root sends: to every rank its own data, in one round. No byte travels twice, which suits long "
                       "data; but all p - 1 start-ups are the root's, where a tree has log2 p.",
      .source = "grama2003",
      .parameters = {ports_of_root(is_gather(collective) ? "messages that the root receives in one round"
                                                         : "messages that the root sends in one round")},
      .says =
          [](const Problem& problem, const Parameters& parameters, Count round) {
            const Count ports = number(parameters, "ports"), rounds = ceil_divide(problem.ranks - 1, ports);
            const bool gathers = is_gather(problem.collective);
            const Count count = std::min(ports, problem.ranks - 1 - (gathers ? rounds - 1 - round : round) * ports);
            return fmt::format("{} with {} each, straight {} the root", counted(count, "message"), counted_shares(problem, 1),
                               gathers ? "to" : "from");
          },
      .generate =
          [](const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
            return for_collective(problem, scatter_from_root(problem, shares(analysis), number(parameters, "ports"), me));
          },
      .analyse = Shares::analyse,
      .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
      .tried_between_nodes = with_defaults,
  };
}

}  // namespace quadrille
