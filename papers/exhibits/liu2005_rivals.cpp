// SPDX-License-Identifier: BSD-3-Clause
// Compares the exchange of [liu2005] with the paper's other exchanges (table II, figure 6), with the direct exchange, and with
// the choice of a plan.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "papers/exhibit.hpp"
#include "papers/exhibits/conclusions.hpp"
#include "papers/exhibits/torus_exchange.hpp"
#include "papers/problems.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

// Start-ups, transmission and rearrangement of exchanges on a torus of 2^d x 2^d ranks. Those exchanges of table II
// that this library can run are counted from their schedules. The scheme of section IV.A, on which the paper builds,
// is counted in the same way.

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
      .reading();
  made.at_least(place +
                    "number of links that blocks cross, over that of shortest paths (\"messages are not transmitted along shortest "
                    "paths\")",
                1.01, detour(previous, torus), "section IV.A")
      .reading();
  made.at_least(
          place + "blocks over the lower bound (\"hinder the previous scheme from achieving optimality in transmission time\")",
          1.01, counted(3, "submesh").blocks / published_at2(3).blocks, "section IV.A")
      .reading();
}

Reproduction make_liu2005_table2(const Making& making) {
  Reproduction made{
      .remarks = {
          "Suh and Shin's exchange is counted from a schedule (alltoall/subtorus) that we have reconstructed from its costs and "
          "from the properties that these require. On 4 x 4 its groups are single ranks, so one rearrangement fewer is needed. The "
          "text describes the algorithms of Tseng et al. and of Suh and Yalamanchili too briefly to reconstruct them: their rows "
          "are the formulas of table II. The second part of the previous scheme, \"nodes in the same group perform complete "
          "exchange among them\", is read as a ring exchange on one port, first along rows and then along columns."}};
  Sheet& sheet = made.add_sheet({.columns = {"d", "algorithm", "start-ups", "blocks transmitted", "blocks rearranged"}});
  const auto tseng = other_exchanges[0].costs;
  Extremes over_tseng;
  for (int d = 2; d <= 7; ++d) {
    making.show(fmt::format("torus of {0} x {0}", 1 << d));
    const auto add = [&](const std::string& name, const TorusCosts& costs) {
      sheet.rows.push_back({Count{d}, name, costs.startups, costs.blocks, costs.rearranged});
    };
    const auto compare = [&](const std::string& whose, const TorusCosts& said, const TorusCosts& ours, const char* blocks) {
      made.equal(fmt::format("d = {}: {}start-ups, 2^(d-1) + 2", d, whose), said.startups, ours.startups, "table II");
      made.equal(fmt::format("d = {}: {}blocks transmitted, {}", d, whose, blocks), said.blocks, ours.blocks, "table II");
      made.compare(d == 2 && !whose.empty() ? Relation::at_most : Relation::equal,  // see the remarks
                   fmt::format("d = {}: {}blocks rearranged, 3 * 2^(2d)", d, whose), said.rearranged, ours.rearranged, "table II");
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
    for (const double over : {ours.blocks / tseng(d).blocks, ours.rearranged / tseng(d).rearranged}) over_tseng.add(over);
  }
  made.at_most(
      "blocks transmitted, and rearranged, by AT2 over those of Tseng et al., maximum (\"superior to Tseng [5] in terms of "
      "message transmission cost, and data rearrangement cost\")",
      1, over_tseng.most, "section V");
  made.at_most(
          "blocks rearranged by Tseng et al. over 2^(2d), at d = 7 over the same at d = 2 (\"that of the other algorithms is "
          "O(2^2d)\")",
          1, tseng(7).rearranged / 16384 / (tseng(2).rearranged / 16), "section V")
      .found(Outcome::paper_is_wrong, 65.0 / 3, "table II has (2^(d-1) + 1) 2^(2d) for [5], which is O(2^3d), too");
  compare_previous_scheme(made);
  return made;
}

// The direct exchange on tori, with which the paper compares indirect ones: its steps, and what a link carries in each step.

constexpr const char* direct_place = "section I";

// How many messages all links together carry in a round, if paths are shortest: p times the sum of the distances from one rank.
Count hops(const Topology& topology) {
  Count sum = 0;
  for (Rank to = 0; to < topology.ranks(); ++to) sum += topology.distance(0, to);
  return sum * topology.ranks();
}

Reproduction make_liu2005_direct(const Making& making) {
  Reproduction made{.remarks = {"The direct exchange is torus-direct; direct sends everything at once. Messages that have half a "
                                "ring to go are spread over both directions (the routing balanced)."}};
  Sheet& sheet =
      made.add_sheet({.columns = {"torus", "steps", "steps, paper", "messages on a link, maximum of a step",
                                  "share of link steps in use", "direct: messages on a link", "volume (blocks)", "volume, paper"}});
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
        paper, counted.c1, direct_place);
    made.equal(
        fmt::format("{0}x{0}: volume in blocks, with sharing (\"achieved the lower bound on message transmission of 2^(3d-3)\")",
                    side),
        paper, links.c2_shared, direct_place);
    made.equal(fmt::format("{0}x{0}: messages on a link in a step, maximum", side), 1, links.sharing, direct_place);
    made.equal(fmt::format("{0}x{0}: share of all links in all steps that carry a message", side), 1, used, direct_place).reading();
  }
  return made;
}

// The estimated times of exchanges on tori of 16 x 16 to 128 x 128 ranks of an Intel Paragon.

// Returns the block size above which `ours` is faster. It is negative if `ours` is always faster.
double break_even(const TorusCosts& ours, const TorusCosts& other, const Coefficients& machine) {
  const double start = ours.us(machine, 0) - other.us(machine, 0);
  const double slope = (other.us(machine, 1) - other.us(machine, 0)) - (ours.us(machine, 1) - ours.us(machine, 0));
  return start / slope;
}

// Returns the block size above which AT2 is faster than all others on a torus of 2^d x 2^d ranks.
double first_fastest(const TorusCosts& at2, int d, const Coefficients& machine) {
  double from = 0;
  for (const PublishedExchange& other : other_exchanges) from = std::max(from, break_even(at2, other.costs(d), machine));
  return from;
}

Reproduction make_liu2005_fig6(const Making& making) {
  Reproduction made;
  const Coefficients paragon = machine_of_paper("paragon").models.at("torus");
  for (int d = 4; d <= 7; ++d) {
    const int side = 1 << d;
    const std::string place = fmt::format("{0}x{0}", side);
    making.show(place);
    const TorusCosts at2 = counted_at2(d);
    Sheet& sheet = made.add_sheet({.name = place, .columns = {"bytes per block"}});
    Panel& panel = made.add_panel({.title = place + " torus",
                                   .x_label = "bytes per block",
                                   .y_label = "time (ms)",
                                   .log_x = true,
                                   .log_y = true,
                                   .range_group = 0});
    const auto add_curve = [&](const std::string& name, CurveStyle style) {
      sheet.columns.push_back(name + " (ms)");
      panel.curves.push_back({sheet.columns.size() - 1, name, style});
    };
    std::vector<std::pair<std::string, TorusCosts>> rivals;
    for (const PublishedExchange& other : other_exchanges)
      rivals.emplace_back(other.algorithm ? std::string(other.name) + ", counted" : other.name,
                          other.algorithm ? counted(d, other.algorithm) : other.costs(d));
    rivals.emplace_back("previous scheme (section IV.A), counted", counted(d, "submesh"));
    add_curve("AT2, counted", CurveStyle::line);
    for (const auto& [name, costs] : rivals) add_curve(name, CurveStyle::dashed);
    for (Bytes bytes = 1; bytes <= 4096; bytes *= 2) {
      const Number m = bytes;
      auto& row = sheet.rows.emplace_back(std::vector<Cell>{bytes, at2.us(paragon, m) / 1000});
      for (const auto& [name, costs] : rivals) row.emplace_back(costs.us(paragon, m) / 1000);
    }
    made.at_most(place + ": bytes per block from which AT2 is the fastest (\"for any message size\": from 1)", 1,
                 first_fastest(at2, d, paragon), "section V, below figure 6")
        .found(Outcome::paper_is_wrong, first_fastest(published_at2(d), d, paragon),
               "by the paper's own table II, the exchange of Suh and Yalamanchili has fewer start-ups and is faster for blocks of "
               "one byte");
    for (const auto& [name, costs] : rivals)
      made.at_least(
          fmt::format("{}: time of {} over that of AT2 at 4096 bytes (\"always outperforms the other algorithms\")", place, name),
          1, costs.us(paragon, 4096) / at2.us(paragon, 4096), "section V, below figure 6");
  }
  const TorusCosts small = counted_at2(2), other = other_exchanges[1].costs(2);
  made.at_least("4x4: time of Suh and Yalamanchili over that of AT2 at 1 MiB (\"any network size\")", 1,
                other.us(paragon, 1 << 20) / small.us(paragon, 1 << 20), "section V, below figure 6")
      .found(
          Outcome::paper_is_wrong, other.us(paragon, 1 << 20) / published_at2(2).us(paragon, 1 << 20),
          "by table II, the other exchange has fewer start-ups and rearranges less on 4x4, a size that section IV allows (\"r and "
          "c are multiples of four\")");
  return made;
}

// Which exchange on tori [liu2005] calls better in which case, compared with the choice of a plan on a Paragon.

Planner on_torus(Count side, Bytes bytes) {
  Problem problem = problem_of(Collective::alltoall, side * side, bytes);
  problem.grid = {side, side};
  return Planner({fmt::format("Paragon, torus of {0}x{0}, {1} B", side, bytes), problem, machine_of_paper("paragon"),
                  Topology::torus({side, side}, Routing::balanced)});
}

// "Tend to" is about most cases, but the paper names no lengths: the share of these networks is taken for each length by itself.
void add_indirect_and_direct(Reproduction& made, const std::map<std::pair<Count, Bytes>, double>& indirect_over_direct) {
  std::map<Bytes, Count> shorter, networks;
  for (const auto& [where, ratio] : indirect_over_direct) shorter[where.second] += ratio < 1 ? 1 : 0, ++networks[where.second];
  Extremes shares;
  for (const auto& [bytes, count] : networks) shares.add(ratio(shorter[bytes], count));
  made.at_least(
          "share of these networks in which torus takes less time than torus-direct, by length (\"In tori or meshes, the indirect "
          "algorithms tend to be more efficient than the direct ones\")",
          0.5, shares.most, "section I")
      .from_to(shares.least, shares.most)
      .because("the direct exchange is faster for long messages, and the paper does not say how long messages tend to be")
      .reading();
}

// Table II has the costs of the other exchanges on tori whose sides are powers of two. AT2 is compared with the fastest of them.
void add_least_of_others(Reproduction& made, int d, const TorusCosts& at2, Bytes bytes, const char* words) {
  const Coefficients paragon = machine_of_paper("paragon").models.at("torus");
  const auto length = static_cast<double>(bytes);
  double least = 1e300;
  for (const PublishedExchange& other : other_exchanges) least = std::min<double>(least, other.costs(d).us(paragon, length));
  made.at_least(fmt::format("{0}x{0}, {1} B: time of the fastest of the others, by table II, over that of AT2 (\"{2}\")", 1 << d,
                            bytes, words),
                1, least / at2.us(paragon, length), "section V")
      .found(Outcome::paper_is_wrong, least / published_at2(d).us(paragon, length),
             "by the paper's own table II another exchange has fewer start-ups and is faster for blocks this short");
}

Reproduction make_liu2005_conclusions(const Making& making) {
  Reproduction made = conclusions_of(
      {"Messages that have half a ring to go are spread over both directions (the routing balanced), which the direct exchange in "
       "steps without contention needs. The paper's direct algorithms [3], [4] are represented by torus-direct, its indirect ones "
       "[5] to [10], where they are compared with direct ones, by the paper's own, torus.",
       "[5] and [6] are not in the table: they are compared by their formulas. 4x4 is judged in liu2005-fig6 and -lemma4."});
  std::map<std::pair<Count, Bytes>, double> over_direct, over_subtorus;
  const std::vector<Count> sides = making.small ? std::vector<Count>{8} : std::vector<Count>{8, 12, 16};
  for (const Count side : sides) {
    const auto d = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(side))) - 1;
    const bool in_table_2 = side == Count{1} << d;
    const TorusCosts at2 = in_table_2 ? counted_at2(d) : TorusCosts{};
    for (const Bytes bytes : {1, 64, 1024, 16384}) {
      making.show(fmt::format("{0}x{0}, {1} B", side, bytes));
      Planner planner = on_torus(side, bytes);
      const char* outperforms =
          "the proposed algorithm always outperforms the other algorithms for any message size and any network size";
      planner.add(made, {.words = outperforms, .place = "section V", .better = "torus", .than = in_table_2 ? "" : "subtorus"});
      if (in_table_2) add_least_of_others(made, d, at2, bytes, outperforms);
      const double ours = planner.seconds("torus", Policy::blocking);
      over_direct[{side, bytes}] = ours / planner.seconds("torus-direct", Policy::blocking);
      over_subtorus[{side, bytes}] = ours / planner.seconds("subtorus", Policy::blocking);
      if (bytes == 1)
        planner.add(made, {.words = "indirect approach favors short messages exchange",
                           .place = "section I",
                           .better = "torus",
                           .than = "torus-direct"});
    }
  }
  for (const Count side : sides)
    on_torus(side, 65536)
        .add(made, {.words = "direct approach favors long messages exchange",
                    .place = "section I",
                    .better = "torus-direct",
                    .than = "torus"});
  add_indirect_and_direct(made, over_direct);
  const char* much_better = "\"exhibits much better performance in large network and larger message size\"";
  made.at_most(fmt::format("64 B: torus over subtorus on the largest torus here, over the same on 8x8 ({})", much_better), 1,
               over_subtorus[{sides.back(), 64}] / over_subtorus[{8, 64}], "section V");
  made.at_most(fmt::format("torus over subtorus at 1024 B on the largest torus here, over the same at 64 B ({})", much_better), 1,
               over_subtorus[{sides.back(), 1024}] / over_subtorus[{sides.back(), 64}], "section V");
  return made;
}

}  // namespace

extern const Exhibit liu2005_table2{
    .title = "Costs of exchanges on a torus of 2^d x 2^d",
    .source = "liu2005, table II and section IV.A",
    .about =
        "AT2, Suh and Shin's exchange and the previous scheme counted from schedules up to 128 x 128 ranks, on the links of the "
        "torus; the other rows are the paper's",
    .make = make_liu2005_table2,
};

extern const Exhibit liu2005_direct{
    .title = "The direct exchange on tori, in steps without contention",
    .source = "liu2005, section I",
    .about = "rounds, messages that share a link, and volume, counted from the schedule on the links of the torus",
    .make = make_liu2005_direct,
};

extern const Exhibit liu2005_fig6{
    .title = "Exchanges on tori of an Intel Paragon",
    .source = "liu2005, figure 6 and section V",
    .about =
        "AT2, Suh and Shin's exchange and the previous scheme priced from schedules counted on the links of the torus, the others "
        "from the paper's table II",
    .make = make_liu2005_fig6,
};

extern const Exhibit liu2005_conclusions{
    .title = "Which exchange on tori is better when, and what a plan takes on a Paragon",
    .source = "liu2005, sections I and V",
    .about =
        "each sentence that says what is better when, with both times by the torus model, beside what a plan takes among all "
        "algorithms",
    .make = make_liu2005_conclusions,
};

}  // namespace quadrille::papers
