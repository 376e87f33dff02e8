// SPDX-License-Identifier: BSD-3-Clause
// barrier/dissemination: no rank leaves before all ranks have entered.
// Source  [hensgen1988] on one port; k ports as in [bruck1997].
// Needs   nothing: any p, 1 <= ports <= max(1, p - 1).
// Idea    In round t a rank sends a message to the ranks at the distances j (k+1)^t, j = 1 .. k. A message says that its sender
//         has entered, and repeats what the sender has learned from earlier messages. After t rounds a rank knows that the
//         (k+1)^t - 1 ranks before it have entered.
// Cost    C1 = ceil(log p / log (k+1)) rounds of control messages without payload.
// Prefer  always; use more ports if the network takes several messages at once.
#include <algorithm>

#include "collectives/saying.hpp"
#include "collectives/worth_trying.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_dissemination(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Count ports = number(parameters, "ports");
  ProgramBuilder program{me};
  program.stage("disseminate");
  for (Count unit = 1, farthest = p - 1; farthest > 0; unit *= ports + 1, farthest = (p - 1) / unit) {
    program.begin_round();
    for (Count j = 1; j <= std::min(ports, farthest); ++j) {
      program.control_send((me + j * unit) % p, 0);
      program.control_receive((me + p - j * unit) % p, 0);
    }
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm barrier_dissemination{
    .collective = Collective::barrier,
    .id = "dissemination",
    .summary = "in each round, tell more distant ranks which ranks have entered",
    .picture =
        "In each round every rank tells a rank twice as far away what it knows, so a rank knows of 2, 4, 8 ranks that they have "
        "entered. It has the fewest rounds, because nobody waits for a centre; messages carry no data, only the fact that they "
        "arrive.",
    .source = "hensgen1988",
    .parameters = {ports_parameter()},
    .says =
        [](const Problem&, const Parameters& parameters, Count round) {
          if (number(parameters, "ports") > 1) return std::string();
          return fmt::format("Every rank tells the rank {} further that all have entered of whom it knows", Count{1} << round);
        },
    .generate = generate_dissemination,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
    .tried_between_nodes = with_defaults,
};

}  // namespace quadrille
