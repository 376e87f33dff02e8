// SPDX-License-Identifier: BSD-3-Clause
// alltoall/scattered: every block is sent straight to its target, a window of messages at a time.
// Source  [grama2003] personalised exchange; the scattered algorithm of MPICH, which has a window of 32.
// Needs   nothing: any p, 1 <= window <= p.
// Idea    Rank i lists itself and its partners as i, i+1, i+2, ... A round holds the messages to and from `window` entries of the
//         list. With a window of p it is alltoall/direct.
// Cost    C1 = ceil(p / window) rounds, on `window` ports; each block moves once.
// Prefer  medium and large blocks on a network that can carry several messages of each rank at once, but becomes congested if all
//         pairs send at once.
#include "collectives/exchange/direct_exchange.hpp"
#include "patterns/integers.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Program generate_scattered(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks, window = number(parameters, "window");
  const auto slot = [p](Rank from, Rank to) { return (to - from + p) % p; };
  return exchange_by_timetable(problem, {{{"exchange", 0, ceil_divide(p, window)}}, slot, window}, me);
}

}  // namespace

extern const Algorithm alltoall_scattered{
    .collective = Collective::alltoall,
    .id = "scattered",
    .summary = "every block straight to its target, some messages at a time",
    .picture =
        "The partners of 8 ranks fit into the default window of 32, so this is the direct exchange in one round. Among more ranks "
        "there are several rounds, and each rank has at most a window of messages under way: a network that takes several "
        "messages, but not all, is not flooded.",
    .source = "grama2003",
    .parameters = {{.name = "window",
                    .summary = "entries of a rank's list of partners in one round",
                    .standard = Count{32},
                    .least = 1,
                    .most = [](const Problem& problem) { return problem.ranks; },
                    .range = "1..p",
                    .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
                      if (problem.ranks <= 32) return {problem.ranks};
                      return {Count{8}, Count{32}};
                    }}},
    .generate = generate_scattered,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "window"); },
};

}  // namespace quadrille
