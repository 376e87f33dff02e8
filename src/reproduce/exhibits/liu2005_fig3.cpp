// SPDX-License-Identifier: BSD-3-Clause
// The exchange on rings: the worked ring of eight nodes, lemma 2, and what becomes of rings with an odd number of nodes.
#include <fmt/format.h>

#include <map>

#include "quadrille/cost.hpp"
#include "reproduce/exhibit.hpp"
#include "reproduce/exhibits/torus_exchange.hpp"
#include "reproduce/moves.hpp"

namespace quadrille::reproduce {
namespace {

Schedule ring(Count p, const char* kernel) { return torus_exchange({p}, 2, fmt::format("torus:kernel={}", kernel)); }

// Rounds in which not all links carry the same.
Count uneven_rounds(const Schedule& schedule) {
  const Topology topology = Topology::ring(schedule.problem.ranks);
  std::map<Count, std::map<Count, Bytes>> loads;  // by round, by link
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        topology.for_each_link(rank, message.peer, message.port,
                               [&](const Link& link) { loads[round.number][link.number] += bytes(message.regions); });
  Count uneven = 0;
  for (const auto& [round, links] : loads) {
    bool even = static_cast<Count>(links.size()) == topology.link_count();
    for (const auto& [link, load] : links) even = even && load == links.begin()->second;
    uneven += even ? 0 : 1;
  }
  return uneven;
}

// Ranks that send their block for the place opposite to the right in the first round; slots are named by how far their blocks go.
Count opposite_to_the_right(const Schedule& schedule) {
  const Count p = schedule.problem.ranks;
  Count count = 0;
  for (Rank rank = 0; rank < p; ++rank) {
    const std::vector<Move> moves = moves_of(schedule, rank);
    count += std::any_of(moves.begin(), moves.end(), [&](const Move& move) {
      return move.round == moves.front().round && move.offset == 1 &&
             std::find(move.places.begin(), move.places.end(), p / 2 * schedule.problem.block_bytes) != move.places.end();
    });
  }
  return count;
}

Reproduction make(const Making&) {
  Reproduction made{.remarks = {"Misprints without a number: the origins in stages 2 and 3 of figure 2 have to move on with k."}};
  Sheet sheet{.columns = {"nodes", "steps", "blocks", "blocks of a simple ring", "ceil(p^2/8)"}};
  Count other_steps = 0, other_volume = 0;
  for (Count p = 4; p <= 64; p += 2) {
    const Figures printed = figures(ring(p, "ar")), simple = figures(ring(p, "sr"));
    const Count least = (p * p + 7) / 8;
    other_steps += printed.c1 == p / 2 ? 0 : 1;
    other_volume += printed.c2 == 2 * least ? 0 : 1;
    sheet.rows.push_back({p, printed.c1, static_cast<double>(printed.c2) / 2, static_cast<double>(simple.c2) / 2, least});
  }
  made.sheets.push_back(std::move(sheet));

  const std::vector<Bytes> eight = longest_by_round(ring(8, "ar"));
  const double said[] = {2, 3, 1, 2};
  for (std::size_t i = 0; i < 4; ++i)
    made.comparisons.push_back({.what = fmt::format("ring of 8: blocks of a message in step {}", i + 1),
                                .paper = said[i],
                                .ours = static_cast<double>(eight.at(i)) / 2});
  made.comparisons.push_back(
      {.what = "rings of 4 to 64 with other than p/2 steps (lemma 2)", .paper = 0, .ours = static_cast<double>(other_steps)});
  made.comparisons.push_back({.what = "rings of 4 to 64 with a volume other than ceil(p^2/8) (lemma 2)",
                              .paper = 0,
                              .ours = static_cast<double>(other_volume)});
  made.comparisons.push_back({.what = "ring of 8: steps in which links differ in load (\"full utilization of the links\")",
                              .paper = 0,
                              .ours = static_cast<double>(uneven_rounds(ring(8, "ar")))});
  made.comparisons.push_back(
      {.what = "ring of 10: steps in which links differ in load",
       .paper = 0,
       .ours = static_cast<double>(uneven_rounds(ring(10, "ar"))),
       .erratum = Erratum{1, "true where 4 divides p; else the messages of stage 1 are of floor(p/4) and of ceil(p/4) blocks"}});
  made.comparisons.push_back(
      {.what = "ring of 10: nodes that send the block for the place opposite, which is \"on the positive half-circle\", that way",
       .paper = 10,
       .ours = static_cast<double>(opposite_to_the_right(ring(10, "ar"))),
       .erratum = Erratum{5, "by figure 2 even nodes send it the other way where p = 2 (mod 4)"}});
  for (const Count p : {5, 9, 31})
    made.comparisons.push_back(
        {.what =
             fmt::format("ring of {}: blocks where an imaginary node makes it even (section VI), the lower bound (p^2 - 1)/8", p),
         .paper = static_cast<double>(p * p - 1) / 8,
         .ours = static_cast<double>(printed_odd_ring_volume(p)),
         .erratum = Erratum{std::map<Count, double>{{5, 5}, {9, 13}, {31, 128}}.at(p),
                            "blocks go the longer way round past the imaginary node; a simple ring without it has the least"}});
  Count not_least = 0;
  for (Count p = 3; p <= 31; p += 2) not_least += figures(torus_exchange({p}, 8)).c2 == p * p - 1 ? 0 : 1;
  made.comparisons.push_back({.what = "odd rings of 3 to 31 on which our exchange has more than (p^2 - 1)/8 blocks",
                              .paper = 0,
                              .ours = static_cast<double>(not_least)});
  return made;
}

}  // namespace

extern const Exhibit liu2005_fig3{
    .id = "liu2005-fig3",
    .title = "Complete exchange on all-port rings",
    .source = "liu2005, figures 2 and 3, lemma 2 and section VI",
    .about = "algorithm AR on rings of 4 to 64 nodes; what is printed for an odd number is counted from the blocks' ways",
    .make = make,
};

}  // namespace quadrille::reproduce
