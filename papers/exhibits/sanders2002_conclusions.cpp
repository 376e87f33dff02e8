// SPDX-License-Identifier: BSD-3-Clause
// What [sanders2002] says about when which exchange among nodes is better, beside what a plan takes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "papers/exhibits/conclusions.hpp"
#include "papers/exhibits/nodes.hpp"

namespace quadrille::papers {
namespace {

Planner on(const std::vector<Count>& sizes, Bytes bytes) {
  return Planner({fmt::format("Myrinet, nodes of {}, {} B", fmt::join(sizes, "+"), bytes), on_nodes(sizes, bytes),
                  machine_of_paper("myrinet")});
}

Reproduction make_sanders2002_conclusions(const Making& making) {
  Reproduction made =
      conclusions_of({"Myrinet is the network of the paper's section 1 for which figures are known; messages inside nodes "
                      "cost nothing."});
  const std::vector<std::vector<Count>> distributions =
      making.small ? std::vector<std::vector<Count>>{{1, 2, 3}}
                   : std::vector<std::vector<Count>>{{4, 4, 4, 4, 4, 4}, {1, 2, 4, 4, 2, 1}, {4, 1, 4, 1, 4, 1}, {1, 2, 3}};
  const Bytes brief = 64, lengthy = 1 << 20;
  for (const auto& sizes : distributions) {
    making.show(fmt::format("{}", fmt::join(sizes, "+")));
    Planner with_short = on(sizes, brief), with_long = on(sizes, lengthy);
    for (Planner* planner : {&with_short, &with_long})
      planner->add(
          made, {.words = "The new algorithm never performs worse [than the trivial, native algorithm]",
                 .place = "section 4",
                 .better = "clustered",
                 .than = "direct",
                 .reason = "the model counts the exchanges of the busiest node, and in the one round of the trivial algorithm "
                           "no node waits for another; matchings of an odd number of active nodes leave one idle "
                           "(decomposition=permutations does not). What the paper gained, less congestion, is not in the model"});
    with_short.add(
        made, {.words = "Trade-offs between communication volume and number of communication start-ups were studied in [3, 5], "
                        "which achieve algorithms that are faster for small messages",
               .place = "section 1",
               .better = "combined",
               .than = "clustered"});
    with_long.add(
        made, {.words = "The new algorithm is optimal with respect to the time a processor spends waiting or transmitting data up "
                        "to an additive term that is bounded by the time needed for data exchange inside a node",
               .place = "section 1",
               .better = "clustered",
               .reason = "by the model whatever moves as many bytes in one round is as fast as the busiest node; the additive "
                         "term is the time in which this node is paired with itself or idle"});
  }
  return made;
}

}  // namespace

extern const Exhibit sanders2002_conclusions{
    .id = "sanders2002-conclusions",
    .title = "Which exchange among nodes is better when, and what a plan takes",
    .source = "sanders2002, sections 1 and 4",
    .about =
        "each sentence that says what is better when, with both times by the cluster model, beside what a plan takes among all "
        "algorithms",
    .make = make_sanders2002_conclusions,
};

}  // namespace quadrille::papers
