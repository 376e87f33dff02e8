// SPDX-License-Identifier: BSD-3-Clause
// What [liu2005] says about when which exchange on tori is better, beside what a plan takes on a Paragon.
#include <fmt/format.h>

#include "papers/exhibits/conclusions.hpp"
#include "papers/machines.hpp"

namespace quadrille::papers {
namespace {

Planner on_torus(Count side, Bytes bytes) {
  Problem problem = problem_of(Collective::alltoall, side * side, bytes);
  problem.grid = {side, side};
  return Planner({fmt::format("Paragon, torus of {0}x{0}, {1} B", side, bytes), problem, machine_of_paper("paragon"),
                  Topology::torus({side, side}, Routing::balanced)});
}

constexpr const char* without_tseng = "[5] and [6] of the paper are not in the table; liu2005-fig6 has them by their formulas";

Reproduction make_liu2005_conclusions(const Making& making) {
  Reproduction made = conclusions_of(
      {"Messages that have half a ring to go are spread over both directions (the routing balanced), which the direct exchange in "
       "steps without contention needs. The paper's direct algorithms [3], [4] are represented by torus-direct, its indirect ones "
       "by submesh, after [7] and [8], and subtorus [10].",
       without_tseng});
  const std::string torus = "torus";
  for (const Count side : making.small ? std::vector<Count>{4} : std::vector<Count>{4, 8, 16})
    for (const Bytes bytes : {1, 64, 1024}) {
      making.show(fmt::format("{0}x{0}, {1} B", side, bytes));
      Planner planner = on_torus(side, bytes);
      for (const char* than : {"subtorus", ""})
        planner.add(made,
                    {.words = "the proposed algorithm always outperforms the other algorithms for any message size and any network "
                              "size",
                     .place = "section V",
                     .better = torus,
                     .than = than,
                     .reason = "the sentence compares with [5], [6] and [10] only"});
      planner.add(
          made, {.words = bytes <= 64 ? "indirect approach favors short messages exchange"
                                      : "In tori or meshes, the indirect algorithms tend to be more efficient than the direct ones",
                 .place = "section I",
                 .better = torus,
                 .than = "torus-direct",
                 .reason = "on a small torus the direct exchange has few steps, 2^(3d-3), and it rearranges nothing"});
    }
  for (const Count side : making.small ? std::vector<Count>{4} : std::vector<Count>{4, 8, 16}) {
    Planner lengthy = on_torus(side, 65536);
    lengthy.add(
        made,
        {.words = "direct approach favors long messages exchange", .place = "section I", .better = "torus-direct", .than = torus});
  }
  if (making.small) return made;
  const auto gain = [](Count side, Bytes bytes) {
    const Planner planner = on_torus(side, bytes);
    return planner.seconds("torus", Policy::blocking) / planner.seconds("subtorus", Policy::blocking);
  };
  const char* much_better = "\"exhibits much better performance in large network and larger message size\"";
  made.at_most(fmt::format("64 B: torus over subtorus on 16x16, over the same on 8x8 ({})", much_better), 1,
               gain(16, 64) / gain(8, 64), "section V");
  made.at_most(fmt::format("16x16: torus over subtorus at 1024 B, over the same at 64 B ({})", much_better), 1,
               gain(16, 1024) / gain(16, 64), "section V");
  return made;
}

}  // namespace

extern const Exhibit liu2005_conclusions{
    .id = "liu2005-conclusions",
    .title = "Which exchange on tori is better when, and what a plan takes on a Paragon",
    .source = "liu2005, sections I and V",
    .about =
        "each sentence that says what is better when, with both times by the torus model, beside what a plan takes among all "
        "algorithms",
    .make = make_liu2005_conclusions,
};

}  // namespace quadrille::papers
