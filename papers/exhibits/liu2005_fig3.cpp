// SPDX-License-Identifier: BSD-3-Clause
// The exchange on rings: the worked ring of eight ranks, lemma 2, and rings with an odd number of ranks.
#include <fmt/format.h>

#include <map>

#include "papers/exhibit.hpp"
#include "papers/exhibits/torus_exchange.hpp"
#include "papers/moves.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

Schedule ring(Count p, const char* kernel) { return torus_exchange({p}, 2, fmt::format("torus:kernel={}", kernel)); }

struct LinkUse {
  Count idle_rounds = 0;    // rounds in which some link carries nothing
  Count uneven_rounds = 0;  // rounds in which the links carry different amounts
};

LinkUse link_use(const Schedule& schedule) {
  const Topology topology = Topology::ring(schedule.problem.ranks);
  std::map<Count, std::map<Count, Bytes>> loads;  // by round and link
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        topology.for_each_link(rank, message.peer, message.port,
                               [&](const Link& link) { loads[round.number][link.number] += bytes(message.regions); });
  LinkUse use;
  for (const auto& [round, links] : loads) {
    const bool all = std::ssize(links) == topology.link_count();
    bool even = all;
    for (const auto& [link, load] : links) even = even && load == links.begin()->second;
    use.idle_rounds += all ? 0 : 1;
    use.uneven_rounds += even ? 0 : 1;
  }
  return use;
}

// Counts the ranks that send the block for the opposite rank to the right in the first round. A slot's number is the
// distance that its block travels.
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

Reproduction make_liu2005_fig3(const Making&) {
  Reproduction made{
      .remarks = {"If 4 does not divide the number of ranks, the messages of stage 1 have floor(p/4) or ceil(p/4) blocks. So the "
                  "links differ in load in that step, though none is idle. A misprint that concerns no number: the origins in "
                  "stages 2 and 3 of figure 2 have to advance with k; the error may be the transcript's."}};
  Sheet sheet{
      .name = "even",
      .columns = {"ranks", "steps", "blocks", "steps in which links differ in load", "blocks of a simple ring", "ceil(p^2/8)"}};
  Count other_steps = 0, other_volume = 0;
  for (Count p = 4; p <= 64; p += 2) {
    const Figures printed = figures(ring(p, "ar")), simple = figures(ring(p, "sr"));
    const Count least = (p * p + 7) / 8;
    other_steps += printed.c1 == p / 2 ? 0 : 1;
    other_volume += printed.c2 == 2 * least ? 0 : 1;
    sheet.rows.push_back(
        {p, printed.c1, Number(printed.c2) / 2, link_use(ring(p, "ar")).uneven_rounds, Number(simple.c2) / 2, least});
  }
  made.sheets.push_back(std::move(sheet));

  const std::vector<Bytes> eight = longest_by_round(ring(8, "ar"));
  const double said[] = {2, 3, 1, 2};
  for (std::size_t i = 0; i < 4; ++i)
    made.equal(fmt::format("ring of 8: blocks of a message in step {}", i + 1), said[i], Number(eight.at(i)) / 2,
               "figures 2 and 3");
  made.equal("number of rings of 4 to 64 ranks that do not take p/2 steps (lemma 2)", 0, other_steps, "lemma 2");
  made.equal("number of rings of 4 to 64 ranks whose volume is not ceil(p^2/8) (lemma 2)", 0, other_volume, "lemma 2");
  for (const Count p : {8, 10}) {
    const LinkUse use = link_use(ring(p, "ar"));
    made.equal(fmt::format("ring of {}: steps in which a link is idle (\"full utilization of the links\")", p), 0, use.idle_rounds,
               "section III.A");
  }
  made.equal(
          "ring of 10: ranks that send the block for the opposite rank, which is \"on the positive half-circle\", in that "
          "direction",
          10, opposite_to_the_right(ring(10, "ar")), "section III and figure 2")
      .found(Outcome::misprint, 5,
             "in figure 2 even ranks send it in the other direction if p = 2 (mod 4), and the later stages rely on this")
      .finding->is_transcript_in_doubt = true;

  Sheet odd{.name = "odd",
            .columns = {"ranks", "steps with an imaginary node", "blocks with an imaginary node", "steps of a simple ring",
                        "blocks of a simple ring, (p^2 - 1)/8"}};
  for (Count p = 3; p <= 31; p += 2) {
    const Figures imaginary = figures(torus_exchange({p}, 1, "imaginary-node")), simple = figures(torus_exchange({p}, 1));
    odd.rows.push_back({p, imaginary.c1, imaginary.c2, simple.c1, simple.c2});
    if (p != 5 && p != 9 && p != 31) continue;
    made.comparisons.push_back(
        {.what = fmt::format("ring of {}: blocks if an imaginary node makes it even, compared with (p^2 - 1)/8 (\"can be used in "
                             "tori with an arbitrary number of nodes in each dimension by adding imaginary nodes\")",
                             p),
         .paper = Number(p * p - 1) / 8,
         .ours = imaginary.c2,
         .finding = PaperFinding{.level = Outcome::beyond_assumptions,
                                 .value = ((p + 1) * (p + 1) + 7) / 8,
                                 .why = "the paper says that imaginary nodes can be used, not that they are optimal; the volume is "
                                        "that of lemma 2 for one rank more"},
         .place = "section VI",
         .is_reading = true});
  }
  made.sheets.push_back(std::move(odd));
  Count not_least = 0;
  for (Count p = 3; p <= 31; p += 2) not_least += figures(torus_exchange({p}, 8)).c2 == p * p - 1 ? 0 : 1;
  made.equal("number of odd rings of 3 to 31 ranks on which our exchange has more than (p^2 - 1)/8 blocks", 0, not_least,
             "lemma 1, by our own bound for odd rings");
  return made;
}

}  // namespace

extern const Exhibit liu2005_fig3{
    .id = "liu2005-fig3",
    .title = "Complete exchange on all-port rings",
    .source = "liu2005, figures 2 and 3, lemma 2 and section VI",
    .about = "algorithm AR on rings of 4 to 64 ranks; on odd rings, AR with an imaginary node, and our own algorithm",
    .make = make_liu2005_fig3,
};

}  // namespace quadrille::papers
