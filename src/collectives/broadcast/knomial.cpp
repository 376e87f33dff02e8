// SPDX-License-Identifier: BSD-3-Clause
// broadcast/knomial: like the binomial tree, but a rank that has the vector sends it to radix - 1 others in each round.
// Source  [grama2003] one-to-all broadcast, with k = radix branches instead of two; Open MPI's knomial and binomial broadcasts.
// Needs   nothing: any p, any root, 2 <= radix <= max(2, p).
// Idea    Ranks are numbered from the root, and each round decides one digit of the numbers in base k. With first=far the highest
//         digit comes first, so the ranks of a subtree are consecutive. With first=near the lowest digit comes first, so the
//         first messages go to the next ranks.
// Cost    C1 = d = ceil(log p / log k) rounds on k - 1 ports; C2 = d blocks.
// Prefer  short vectors on a network that takes several messages of a rank at once.
#include <algorithm>

#include "collectives/spreading/spreading.hpp"
#include "patterns/trees.hpp"

namespace quadrille {
namespace {

Program generate_knomial(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const KnomialOrder order = word(parameters, "first") == "near" ? KnomialOrder::near : KnomialOrder::far;
  const TreePosition position =
      position_in_knomial_tree(problem.ranks, problem.root, number(parameters, "radix"), order, "broadcast", me);
  return broadcast_by_tree(position, problem.block_bytes, me);
}

}  // namespace

extern const Algorithm broadcast_knomial{
    .collective = Collective::broadcast,
    .id = "knomial",
    .summary = "every rank that has the vector passes it on to radix - 1 others in each round",
    .picture =
        "A rank that has the vector sends it to radix - 1 others in each round, so the number of ranks that have it grows by the "
        "factor radix. Here radix is 4, and 8 ranks leave the first round one message only. A larger radix means fewer rounds, "
        "but more messages that leave a rank at once.",
    .source = "grama2003",
    .parameters = {{.name = "radix",
                    .summary = "branches at each step, the rank itself included",
                    .standard = Count{4},
                    .least = 2,
                    .most = [](const Problem& problem) { return std::max<Count>(2, problem.ranks); },
                    .range = "2..max(2,p)",
                    .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
                      std::vector<ParameterValue> list;
                      for (const Count radix : {3, 4, 8})
                        if (radix <= problem.ranks) list.emplace_back(radix);
                      return list.empty() ? std::vector<ParameterValue>{Count{2}} : list;
                    }},
                   {.name = "first",
                    .summary = "where the first messages go: to far ranks or to near ones",
                    .standard = "far",
                    .choices = {"far", "near"},
                    .range = {}}},
    .generate = generate_knomial,
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "radix") - 1; },
};

}  // namespace quadrille
