// SPDX-License-Identifier: BSD-3-Clause
// Multiple multicast by A4 of [liu2002]: each rank has one block for all its targets, as in a neighbourhood allgatherv.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "papers/exhibits/irregular.hpp"
#include "patterns/rank_array.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"

namespace quadrille::papers {
namespace {

constexpr const char* multicast_by_element = "multicast:columns=paper,grain=1,counts=known";
constexpr const char* a4_with_copies = "four-stage:columns=paper,split=chain,grain=1,counts=known";

// The graphs. Blocks have 4 P bytes, so they can be divided evenly among the ranks, as the paper assumes (section 3.2.4).
struct MulticastGraph {
  const char* name;
  bool (*has_edge)(Count p, Rank from, Rank to);
};

constexpr MulticastGraph multicast_graphs[] = {
    {"one target, rank i + 3", [](Count p, Rank from, Rank to) { return to == (from + 3) % p; }},
    {"ranks i + 1 to i + 6", [](Count p, Rank from, Rank to) { return from != to && (to - from + p) % p <= 6; }},
    {"rank 0 to all", [](Count, Rank from, Rank to) { return from == 0 && to != 0; }},
    {"four ranks to all", [](Count p, Rank from, Rank to) { return from % ((p + 3) / 4) == 0 && from != to; }},
    {"all to all", [](Count, Rank from, Rank to) { return from != to; }},
};

Problem multicast_along(const MulticastGraph& graph, Count p) {
  std::vector<std::vector<Rank>> sources(index(p));
  for (Rank to = 0; to < p; ++to)
    for (Rank from = 0; from < p; ++from)
      if (graph.has_edge(p, from, to)) sources[index(to)].push_back(from);
  return neighborhood_allgatherv(std::vector<Bytes>(index(p), 4 * p), sources);
}

// The same exchange with a block for each target: what A4 would send if it were not generalised.
Problem with_copies_of_blocks(const Problem& problem) {
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < problem.ranks; ++from)
    for (const Share& share : Traffic(problem).sent_by(from)) entries.push_back({from, share.peer, share.bytes});
  return Problem::alltoallv(problem.ranks, std::move(entries));
}

// The most by which messages of stage III to one column differ. They are equal if, as lemma 2 says, all ranks hold equally much of
// each block.
Bytes uneven_for_columns(const Schedule& schedule) {
  const RankArray array(schedule.problem.ranks, RankArray::paper_columns(schedule.problem.ranks));
  std::map<Count, std::pair<Bytes, Bytes>> lengths;  // by column
  const std::vector<StageTrace> stages = trace(schedule);
  for (const StageTrace::Sent& sent : stages.at(2).messages) {
    auto& [least, most] = lengths.try_emplace(array.column_of(sent.to), sent.length, sent.length).first->second;
    least = std::min(least, sent.length), most = std::max(most, sent.length);
  }
  Bytes uneven = 0;
  for (const auto& [column, length] : lengths) uneven = std::max(uneven, length.second - length.first);
  return uneven;
}

Reproduction make_liu2002_multicast(const Making& making) {
  Reproduction made{
      .remarks = {"The paper says that A4 can be generalised, and not how. Here a block is dealt out once in stages I and II, goes "
                  "once to each column with a target in stage III, and to each target in stage IV. L is the most that a rank "
                  "receives, or its block if that is longer. Messages to oneself are not counted: there is one in each stage.",
                  "A4 is four-stage with a block for each target, so its L has all copies."}};
  Sheet& sheet =
      made.add_sheet({.columns = {"ranks", "graph", "L", "start-ups", "volume (L)", "start-ups of A4", "volume of A4 (L)"}});
  Count findings = 0, uneven = 0, unlike_a4 = 0, startups_apart = 0;
  double startups_above = -1e300, volume_above = -1e300, length_above = -1e300, least_volume = 1e300, least_gain = 1e300;
  for (const Count p : making.small ? std::vector<Count>{16, 21} : std::vector<Count>{16, 18, 21, 25, 41, 61, 64})
    for (const MulticastGraph& graph : multicast_graphs) {
      making.show(fmt::format("{} ranks, {}", p, graph.name));
      const Problem problem = multicast_along(graph, p);
      const Schedule schedule = make_schedule(problem, multicast_by_element);
      const Figures ours = figures(schedule), copies = figures(make_schedule(with_copies_of_blocks(problem), a4_with_copies));
      const Bytes load = Traffic(problem).heaviest();
      const RankArray array(p, RankArray::paper_columns(p));
      const Number root = paper_root(p), unit = ratio(load, p);
      sheet.rows.push_back({p, std::string(graph.name), load, ours.c1, ratio(ours.c2, load), copies.c1, ratio(copies.c2, load)});
      findings += size(verify(schedule));
      uneven = std::max(uneven, uneven_for_columns(schedule));
      startups_above = std::max(startups_above, Number(ours.c1 + 4) - (4 * root + 2));
      volume_above = std::max(volume_above, ratio(ours.c2, load) - ratio(4 * root * root, p));
      length_above = std::max(length_above, ratio(longest_message(schedule), unit) - (root + (array.is_ragged() ? 1 : 0)));
      least_volume = std::min(least_volume, ratio(ours.c2, lower_bounds(problem, 1).at(1).value));
      if (&graph == &multicast_graphs[0])
        unlike_a4 = std::max({unlike_a4, std::abs(ours.c1 - copies.c1), std::abs(ours.c2 - copies.c2)});
      else
        least_gain = std::min(least_gain, ratio(copies.c2, ours.c2));
      if (&graph == &multicast_graphs[4] && !array.is_ragged())
        startups_apart = std::max(startups_apart, std::abs(ours.c1 + 4 - 2 * (array.rows() + array.columns())));
    }
  made.equal(
      "findings of the verifier, all graphs (\"Our algorithm can be generalized to perform other collective communication "
      "primitives such as multiple multi-casting\")",
      0, findings, "section 5");
  made.equal("one target for each block: start-ups or bytes that are not those of A4, maximum", 0, unlike_a4, "section 5");
  made.equal("messages of stage III to one column: most that their lengths differ (bytes)", 0, uneven, "lemma 2");
  made.equal("all to all, full arrays: start-ups with the four messages to oneself, most that they differ from 2R + 2C", 0,
             startups_apart, "section 3.2.1");
  made.at_most("excess of the start-ups, with messages to oneself, over 4 ceil(sqrt P) + 2, maximum", 0, startups_above, "table 3");
  made.at_most("excess of the volume over 4 ceil(sqrt P)^2 / P (L), maximum", 0, volume_above, "table 3");
  made.at_most("excess of the longest message over its bound (L/P), maximum", 0, length_above, "lemma 3");
  made.at_least("volume over what the busiest rank must send or receive, minimum", 1, least_volume, "section 5").reading();
  made.at_least("several targets: volume of A4 with a block for each target, over that with blocks dealt out once, minimum", 1,
                least_gain, "section 5")
      .reading();
  return made;
}

}  // namespace

extern const Exhibit liu2002_multicast{
    .title = "Multiple multicast, or neighbourhood allgatherv",
    .source = "liu2002, section 5, by the bounds of section 3.2",
    .about =
        "A4 with blocks that have several targets, on five graphs, verified and counted, beside A4 with a copy for each target",
    .make = make_liu2002_multicast,
};

}  // namespace quadrille::papers
