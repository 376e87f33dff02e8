// SPDX-License-Identifier: BSD-3-Clause
// The direct exchange on tori, with which the paper compares indirect ones: its steps, and what a link carries in each.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibit.hpp"
#include "papers/machines.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

constexpr const char* place = "section I";

// How many messages all links together carry in a round, from shortest paths: p times the distances from one rank.
Count hops(const Topology& topology) {
  Count sum = 0;
  for (Rank to = 0; to < topology.ranks(); ++to) sum += topology.distance(0, to);
  return sum * topology.ranks();
}

Reproduction make_liu2005_direct(const Making& making) {
  Reproduction made{
      .remarks = {"The direct exchange is torus-direct; direct sends everything at once. Messages that have half a ring to go "
                  "are spread over both directions (the routing balanced)."}};
  Sheet sheet{.columns = {"torus", "steps", "steps, paper", "messages on a link, maximum of a step", "share of link steps in use",
                          "direct: messages on a link", "volume (blocks)", "volume, paper"}};
  for (Count d = 2; d <= (making.small ? 3 : 4); ++d) {
    const Count side = Count{1} << d, paper = Count{1} << (3 * d - 3);
    making.show(fmt::format("{0}x{0}", side));
    const Topology torus = Topology::torus({side, side}, Routing::balanced);
    Problem problem = problem_of(Collective::alltoall, side * side, 1);
    problem.grid = {side, side};
    const Schedule schedule = make_schedule(problem, "torus-direct");
    const Figures counted = figures(schedule);
    const LinkFigures links = link_figures(schedule, torus), at_once = link_figures(make_schedule(problem, "direct"), torus);
    const double used = ratio(hops(torus), torus.link_count() * counted.c1);
    sheet.rows.push_back({torus.name(), counted.c1, paper, links.sharing, used, at_once.sharing, links.c2_shared, paper});
    made.equal(
        fmt::format("{0}x{0}: steps, 2^(3d-3) (\"they finish the complete exchange operation in 2^(3d-3) communication steps\")",
                    side),
        paper, counted.c1, place);
    made.equal(
        fmt::format("{0}x{0}: volume in blocks, with sharing (\"achieved the lower bound on message transmission of 2^(3d-3)\")",
                    side),
        paper, links.c2_shared, place);
    made.equal(fmt::format("{0}x{0}: messages on a link in a step, maximum", side), 1, links.sharing, place);
    made.equal(fmt::format("{0}x{0}: share of all links in all steps that carry a message", side), 1, used, place).is_reading =
        true;
  }
  made.sheets.push_back(std::move(sheet));
  return made;
}

}  // namespace

extern const Exhibit liu2005_direct{
    .id = "liu2005-direct",
    .title = "The direct exchange on tori, in steps without contention",
    .source = "liu2005, section I",
    .about = "rounds, messages that share a link, and volume, counted from the schedule on the links of the torus",
    .make = make_liu2005_direct,
};

}  // namespace quadrille::papers
