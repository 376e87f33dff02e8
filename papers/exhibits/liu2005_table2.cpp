// SPDX-License-Identifier: BSD-3-Clause
// Start-ups, transmission and rearrangement of exchanges on a torus of 2^d x 2^d ranks. Those exchanges of table II
// that this library can run are counted from their schedules. The scheme of section IV.A, on which the paper builds,
// is counted in the same way.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "papers/exhibit.hpp"
#include "papers/exhibits/torus_exchange.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

// Returns the bytes on all links in all rounds, divided by the bytes there would be if every block took a shortest route.
double detour(const Schedule& schedule, const Topology& torus) {
  Bytes carried = 0, needed = 0;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    for (Rank to = 0; to < schedule.problem.ranks; ++to) needed += torus.distance(rank, to) * schedule.problem.block_bytes;
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        torus.for_each_link(rank, message.peer, message.port, [&](const Link&) { carried += bytes(message.regions); });
  }
  return ratio(carried, needed);
}

// Returns the most links that are used in any round, divided by the number of all links.
double links_used(const Schedule& schedule, const Topology& torus) {
  std::map<Count, std::set<Count>> used;  // by round
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        torus.for_each_link(rank, message.peer, message.port, [&](const Link& link) { used[round.number].insert(link.number); });
  std::size_t most = 0;
  for (const auto& [round, links] : used) most = std::max(most, links.size());
  return ratio(most, torus.link_count());
}

// Compares what section IV.A says about the scheme on which the paper builds.
void compare_previous_scheme(Reproduction& made) {
  const Topology torus = Topology::torus({8, 8});
  const Schedule previous = torus_exchange({8, 8}, 1, "submesh");
  const std::string place = "8x8, the previous scheme: ";
  made.equal(place + "ports (\"conforms to one-port constraint\")", 1, figures(previous).ports, "section IV.A");
  made.at_most(place + "largest share of the links that a step uses (\"fails to fully utilize all communication links\")", 0.99,
               links_used(previous, torus), "section IV.A")
      .is_reading = true;
  made.at_least(place +
                    "number of links that blocks cross, over that of shortest paths (\"messages are not transmitted along shortest "
                    "paths\")",
                1.01, detour(previous, torus), "section IV.A")
      .is_reading = true;
  made.at_least(
          place + "blocks over the lower bound (\"hinder the previous scheme from achieving optimality in transmission time\")",
          1.01, counted(3, "submesh").blocks / published_at2(3).blocks, "section IV.A")
      .is_reading = true;
}

Reproduction make_liu2005_table2(const Making& making) {
  Reproduction made{
      .remarks = {
          "Suh and Shin's exchange is counted from a schedule (alltoall/subtorus) that we have reconstructed from its costs and "
          "from the properties that these require. On 4 x 4 its groups are single ranks, so one rearrangement fewer is needed. The "
          "text describes the algorithms of Tseng et al. and of Suh and Yalamanchili too briefly to reconstruct them: their rows "
          "are the formulas of table II. The second part of the previous scheme, \"nodes in the same group perform complete "
          "exchange among them\", is read as a ring exchange on one port, first along rows and then along columns."}};
  Sheet sheet{.columns = {"d", "algorithm", "start-ups", "blocks transmitted", "blocks rearranged"}};
  for (int d = 2; d <= 7; ++d) {
    making.show(fmt::format("torus of {0} x {0}", 1 << d));
    const auto add = [&](const std::string& name, const TorusCosts& costs) {
      sheet.rows.push_back({Count{d}, name, costs.startups, costs.blocks, costs.rearranged});
    };
    const auto compare = [&](const std::string& whose, const TorusCosts& said, const TorusCosts& ours, const char* blocks) {
      made.equal(fmt::format("d = {}: {}start-ups, 2^(d-1) + 2", d, whose), said.startups, ours.startups, "table II");
      made.equal(fmt::format("d = {}: {}blocks transmitted, {}", d, whose, blocks), said.blocks, ours.blocks, "table II");
      made.comparisons.push_back({.what = fmt::format("d = {}: {}blocks rearranged, 3 * 2^(2d)", d, whose),
                                  .paper = said.rearranged,
                                  .ours = ours.rearranged,
                                  .relation = d == 2 && !whose.empty() ? Relation::at_most : Relation::equal,  // see the remarks
                                  .place = "table II"});
    };
    for (const PublishedExchange& other : other_exchanges) {
      add(other.name, other.costs(d));
      if (!other.algorithm) continue;
      const TorusCosts ours = counted(d, other.algorithm);
      add(std::string(other.name) + ", counted", ours);
      compare(std::string(other.name) + ": ", other.costs(d), ours, "2^(3d-2) + 2^(2d)");
    }
    const TorusCosts ours = counted_at2(d);
    add("previous scheme of section IV.A, counted", counted(d, "submesh"));
    add("AT2, as published", published_at2(d));
    add("AT2, counted", ours);
    compare("", published_at2(d), ours, "2^(3d-3)");
  }
  compare_previous_scheme(made);
  made.sheets.push_back(std::move(sheet));
  return made;
}

}  // namespace

extern const Exhibit liu2005_table2{
    .id = "liu2005-table2",
    .title = "Costs of exchanges on a torus of 2^d x 2^d",
    .source = "liu2005, table II and section IV.A",
    .about =
        "AT2, Suh and Shin's exchange and the previous scheme counted from schedules up to 128 x 128 ranks, on the links of the "
        "torus; the other rows are the paper's",
    .make = make_liu2005_table2,
};

}  // namespace quadrille::papers
