// SPDX-License-Identifier: BSD-3-Clause
// barrier/linear: every rank tells rank 0 that it has entered, and rank 0 tells every rank that all ranks have entered.
// Source  [hensgen1988] the central barrier, with messages instead of a counter.
// Needs   nothing: any p.
// Idea    One round of messages to rank 0, and one round of messages from rank 0.
// Cost    C1 = 2 rounds of control messages without payload, on p - 1 ports of rank 0.
// Prefer  few ranks.
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_linear(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  ProgramBuilder program{me};
  const auto with_others = [&](auto&& to_rank, auto&& to_root) {
    program.begin_round();
    if (me != 0) return to_root();
    for (Rank rank = 1; rank < problem.ranks; ++rank) to_rank(rank);
  };
  program.stage("enter");
  with_others([&](Rank rank) { program.control_receive(rank, 0); }, [&] { program.control_send(0, 0); });
  program.stage("leave");
  with_others([&](Rank rank) { program.control_send(rank, 0); }, [&] { program.control_receive(0, 0); });
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm barrier_linear{
    .collective = Collective::barrier,
    .id = "linear",
    .summary = "every rank tells rank 0 that it has entered, and rank 0 tells every rank that all have",
    .picture =
        "All ranks report to rank 0, and rank 0 tells all: two rounds. Rank 0 deals with p - 1 messages in each of them, so it is "
        "for few ranks.",
    .source = "hensgen1988",
    .generate = generate_linear,
};

}  // namespace quadrille
