// SPDX-License-Identifier: BSD-3-Clause
// barrier/recursive-doubling: rank i and its partners i ^ 1, i ^ 2, i ^ 4, .. tell each other, one per round, which ranks have
// entered.
// Source  [grama2003] all-reduce on a hypercube, without data.
// Needs   nothing: any p.
// Idea    Let n be the largest power of two that is not above p. Rank n + i first tells rank i that it has entered. Ranks below n
//         exchange in log2 n rounds. Then rank i tells n + i that all have entered.
// Cost    C1 = log2 n rounds of control messages without payload, and two more if p is no power of two.
// Prefer  hypercubes, where each exchange has a link of its own. Elsewhere dissemination: ceil(log2 p) rounds for any p.
#include <bit>

#include "collectives/saying.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_recursive_doubling(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks, n = static_cast<Count>(std::bit_floor(static_cast<std::uint64_t>(p)));
  const bool is_beyond = me >= n, has_other = me + n < p;
  ProgramBuilder program{me};
  program.stage("exchange");
  if (p > n) {
    program.begin_round();
    if (is_beyond) program.control_send(me - n, 0);
    if (has_other) program.control_receive(me + n, 0);
  }
  for (Count distance = 1; distance < n; distance *= 2) {
    program.begin_round();
    if (is_beyond) continue;
    program.control_send(me ^ distance, 0);
    program.control_receive(me ^ distance, 0);
  }
  if (p > n) {
    program.begin_round();
    if (is_beyond) program.control_receive(me - n, 0);
    if (has_other) program.control_send(me + n, 0);
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm barrier_recursive_doubling{
    .collective = Collective::barrier,
    .id = "recursive-doubling",
    .summary = "exchange with i ^ 1, i ^ 2, i ^ 4, .., which ranks have entered",
    .picture =
        "Partners at distances 1, 2, 4, .. tell each other which ranks have entered; after log2 p rounds all know it of all. Each "
        "pair exchanges in both directions, so on a hypercube every message has a link of its own; if p is no power of two, it "
        "takes two rounds more than for the next lower one.",
    .source = "grama2003",
    .says =
        [](const Problem& problem, const Parameters&, Count round) {
          return is_power_of_two(problem.ranks) ? says_swap("news of which ranks have entered", round) : std::string();
        },
    .generate = generate_recursive_doubling,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
