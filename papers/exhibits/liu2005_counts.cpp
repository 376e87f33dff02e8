// SPDX-License-Identifier: BSD-3-Clause
// The exchanges of [liu2005] on rings and tori, counted: table I, figure 3, lemmas 2 to 4 and the costs of each stage.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "papers/exhibit.hpp"
#include "papers/exhibits/torus_exchange.hpp"
#include "papers/problems.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/verify.hpp"

namespace quadrille::papers {
namespace {

// The exchange on rings: the worked ring of eight ranks, lemma 2, and rings with an odd number of ranks.

Schedule ring(Count p, const char* kernel) { return torus_exchange({p}, 2, fmt::format("torus:kernel={}", kernel)); }

struct LinkUse {
  Count idle_rounds = 0;    // rounds in which some link carries nothing
  Count uneven_rounds = 0;  // rounds in which the links carry different amounts
};

using LoadsByRound = std::map<Count, std::map<Count, Bytes>>;  // by round and link

LoadsByRound loads_of(const Schedule& schedule, const Topology& topology) {
  LoadsByRound loads;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds)
      for (const Message& message : round.sends)
        topology.for_each_link(rank, message.peer, message.port,
                               [&](const Link& link) { loads[round.number][link.number] += bytes(message.regions); });
  return loads;
}

// Returns the volume if links do not wait for each other within a stage: the sum over the stages of the most that any link carries.
Bytes volume_by_link(const Schedule& schedule, const Topology& topology) {
  const LoadsByRound loads = loads_of(schedule, topology);
  Bytes sum = 0;
  for (const Stage& stage : schedule.program(0).stages) {
    std::map<Count, Bytes> links;
    Bytes most = 0;
    for (auto round = loads.lower_bound(stage.first_round);
         round != loads.end() && round->first < stage.first_round + stage.round_count; ++round)
      for (const auto& [link, load] : round->second) most = std::max(most, links[link] += load);
    sum += most;
  }
  return sum;
}

LinkUse link_use(const Schedule& schedule) {
  const Topology topology = Topology::ring(schedule.problem.ranks);
  const LoadsByRound loads = loads_of(schedule, topology);
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

void add_odd_rings(Reproduction& made) {
  Sheet& odd = made.add_sheet({.name = "odd",
                               .columns = {"ranks", "steps with an imaginary node", "blocks with an imaginary node",
                                           "steps of a simple ring", "blocks of a simple ring, (p^2 - 1)/8"}});
  for (Count p = 3; p <= 31; p += 2) {
    const Figures imaginary = figures(torus_exchange({p}, 1, "imaginary-node")), simple = figures(torus_exchange({p}, 1));
    odd.rows.push_back({p, imaginary.c1, imaginary.c2, simple.c1, simple.c2});
    if (p != 5 && p != 9 && p != 31) continue;
    made.equal(fmt::format("ring of {}: findings of the verifier if an imaginary node makes it even (\"can be used in tori with an "
                           "arbitrary number of nodes in each dimension by adding imaginary nodes\")",
                           p),
               0, size(verify(torus_exchange({p}, 1, "imaginary-node"))), "section VI");
  }
  Count not_least = 0;
  for (Count p = 3; p <= 31; p += 2) not_least += figures(torus_exchange({p}, 8)).c2 == p * p - 1 ? 0 : 1;
  made.equal("number of odd rings of 3 to 31 ranks on which our exchange has more than (p^2 - 1)/8 blocks", 0, not_least,
             "lemma 1, by our own bound for odd rings");
}

Reproduction make_liu2005_fig3(const Making&) {
  Reproduction made{
      .remarks = {"If 4 does not divide the number of ranks, the messages of stage 1 have floor(p/4) or ceil(p/4) blocks. So the "
                  "links differ in load in that step, though none is idle. A misprint that concerns no number: the origins in "
                  "stages 2 and 3 of figure 2 have to advance with k; the error may be the transcript's."}};
  Sheet& sheet = made.add_sheet(
      {.name = "even",
       .columns = {"ranks", "steps", "blocks", "steps in which links differ in load", "blocks of a simple ring", "ceil(p^2/8)"}});
  Count other_steps = 0, other_volume = 0;
  for (Count p = 4; p <= 64; p += 2) {
    const Figures printed = figures(ring(p, "ar")), simple = figures(ring(p, "sr"));
    const Count least = (p * p + 7) / 8;
    other_steps += printed.c1 == p / 2 ? 0 : 1;
    other_volume += printed.c2 == 2 * least ? 0 : 1;
    sheet.rows.push_back(
        {p, printed.c1, Number(printed.c2) / 2, link_use(ring(p, "ar")).uneven_rounds, Number(simple.c2) / 2, least});
  }

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

  add_odd_rings(made);
  return made;
}

// The blocks that a rank sends through each of its ports in phase 1 of the exchange on a torus.

// Returns the number of vertices of group G10 in the first quadrant of vertex (0, 0), as the paper defines
// the group and the quadrant.
Count in_first_quadrant(Count rows, Count columns) {
  Count count = 0;
  for (Count x = 0; x <= rows / 2; ++x)
    for (Count y = 0; y <= columns / 2; ++y) count += x % 2 == 1 && y % 2 == 0 ? 1 : 0;
  return count;
}

Reproduction make_liu2005_table1(const Making&) {
  Reproduction made{.remarks = {"Misprints that concern no number, some of which may be the transcript's: 0 <= y <= r - 1 should "
                                "end with c - 1; in the set A after phase 1 the offsets c/2 and r/2 are exchanged, and A is a "
                                "multiset; in figure 5 the lower port's set is missing, the other ports have T, L and B instead of "
                                "R, T and L, T* and L* are printed twice, and y = (y0 mod 2) means y = y0 (mod 2)."}};
  Sheet& sheet =
      made.add_sheet({.columns = {"rows", "columns", "blocks per port, step 1", "3rc/16", "blocks per port, step 2", "rc/16"}});
  for (const auto& [rows, columns] : {std::pair<Count, Count>{4, 4}, {4, 8}, {8, 8}, {8, 12}, {12, 12}, {16, 16}}) {
    const std::vector<Bytes> longest = longest_by_round(torus_exchange({rows, columns}, 1, "torus:order=at2,kernel=ar"));
    sheet.rows.push_back({rows, columns, longest.at(0), 3 * rows * columns / 16, longest.at(1), rows * columns / 16});
    const Number all = rows * columns;
    made.equal(fmt::format("{}x{}: blocks per port, step 1, rc/8 + rc/16", rows, columns), all / 8 + all / 16, longest.at(0),
               "table I and section IV.B");
    made.equal(fmt::format("{}x{}: blocks per port, step 2, rc/16", rows, columns), all / 16, longest.at(1),
               "table I and section IV.B");
  }
  made.equal("8x8: vertices of G10 in QI, to which the lower port's rc/8 blocks go according to the paper", 8,
             in_first_quadrant(8, 8), "table I and section IV.A")
      .found(Outcome::misprint, 6,
             "QI has r/4 (c/4 + 1) of them; the set B of figure 5 has those in QI and QIV, and so on for the other ports");
  return made;
}

// The volume of the exchange on tori: as printed, and with our choice of routes to opposite ranks.

// Returns the finding for tori on which the blocks, sent as printed, exceed r c^2/8. In each of the phases 2 and 3, all blocks of
// one row for the opposite column go in one direction. So each phase takes r/2 more blocks.
PaperFinding one_way(Count rows, Count columns) {
  return {
      .value = rows * columns * columns / 8 + rows,
      .why =
          columns / 2 < 4
              ? "the lemma allows sides of four, but phases 2 and 3 then run algorithm AR on rings of c/2 = 2 ranks, and section "
                "III defines it for p >= 4"
              : "if c = 4 (mod 8), all blocks for the opposite column go in one direction; our schedules choose the direction "
                "by the parity of the other dimension"};
}

Reproduction make_liu2005_lemma4(const Making&) {
  Reproduction made{
      .remarks = {"Lemma 3 takes the time of a phase from the rings of the longer side alone, so rows and columns need not be in "
                  "lock-step. Both ways of counting are in the table. With AR our schedules place the steps of the columns in "
                  "rounds with long messages along the rows, and choose routes to opposite ranks by parity."}};
  Sheet& sheet = made.add_sheet(
      {.columns = {"rows", "columns", "steps", "blocks", "blocks with kernel AR and our directions for opposite ranks",
                   "the same, link by link", "r c^2/8", "blocks as printed, link by link", "blocks as printed, in lock-step"}});
  for (const auto& [rows, columns] : {std::pair<Count, Count>{4, 4}, {4, 8}, {8, 8}, {8, 12}, {12, 12}, {12, 16}, {16, 16}}) {
    const Figures ours = figures(torus_exchange({rows, columns}, 1, "torus:order=at2"));
    const Schedule alternating = torus_exchange({rows, columns}, 1, "torus:order=at2,kernel=ar");
    const Bytes in_rounds = figures(alternating).c2, by_link = volume_by_link(alternating, Topology::torus({rows, columns}));
    const PrintedTorusVolumes printed = printed_torus_volumes(rows, columns);
    const Number r = rows, c = Number(columns), blocks = r * c * c / 8;
    sheet.rows.push_back({rows, columns, ours.c1, ours.c2, in_rounds, by_link, blocks, printed.by_link, printed.in_step});
    const std::string place = fmt::format("{}x{}", rows, columns);
    made.equal(place + ": steps, c/2 + 2", c / 2 + 2, ours.c1, "section IV.D");
    made.equal(place + ": blocks, r c^2/8", blocks, ours.c2, "lemma 4");
    made.equal(
        place + ": blocks with algorithm AR on the rows and columns, with our directions for opposite ranks, link by link, r c^2/8",
        blocks, by_link, "section IV.B and lemma 4");
    made.equal(place + ": blocks with algorithm AR, in rounds", blocks, in_rounds, "lemmas 3 and 4")
        .found(Outcome::beyond_assumptions, rows * columns * columns / 8 + rows,
               "lemma 3 takes the longer of the times of a row ring and a column ring. In rounds both take steps together, and if "
               "r = 0 and c = 4 (mod 8), the first message along a column may be r/2 blocks longer than that along a row")
        .reading();
    made.equal(place + ": blocks, r c^2/8, with the routes of figure 2 as printed, link by link", blocks, printed.by_link,
               "lemma 4, figures 2 and 5")
        .finding = one_way(rows, columns);
    if (printed.in_step == printed.by_link) continue;
    made.equal(place + ": the same, with all rows and columns in lock-step", blocks, printed.in_step, "lemmas 3 and 4")
        .found(Outcome::beyond_assumptions, 424,
               "lemma 3 takes the longer of the times of a row ring and a column ring, so neither waits for the other's steps")
        .reading();
  }
  return made;
}

// The costs of each stage of algorithm AR and of each phase of algorithm AT2 (equations (1) to (4)), compared
// with those of our schedules.

struct StageCosts {
  Count steps = 0;
  Bytes blocks = 0;  // sum over the steps of the longest message
};

StageCosts stage_costs(const Schedule& schedule, const std::string& stage) {
  StageCosts costs;
  for (const StageFigures& figures : stage_figures(schedule))
    if (figures.name == stage)
      for (const RoundFigures& round : figures.rounds) {
        ++costs.steps;
        costs.blocks += round.longest;
      }
  return costs;
}

// Returns the paper's counts for stages 1 to 3 of algorithm AR, for rings with an even number of ranks.
std::vector<StageCosts> said_of_ring(Count p) {
  const Count low = p / 4, high = (p + 3) / 4;
  return {{1, high}, {low, low * high}, {high - 1, low * (high - 1)}};
}

// Returns the paper's counts for phases 1 to 3, for tori whose sides are multiples of 4, with at most as many rows as columns:
// rc/8 + rc/16 + rc/16, and twice (rc/32 + rc/32 - r/8) c.
std::vector<StageCosts> said_of_torus(Count rows, Count columns) {
  const Count all = rows * columns, phase = all / 16 * (columns - 2);
  return {{2, all / 4}, {columns / 4, phase}, {columns / 4, phase}};
}

void compare_rings(Reproduction& made) {
  constexpr const char* equations[] = {"ceil(p/4) (lemma 2)", "floor(p/4) ceil(p/4) (1)", "floor(p/4) (ceil(p/4) - 1) (2)"};
  Sheet& sheet =
      made.add_sheet({.name = "rings", .columns = {"ranks", "stage", "steps", "steps (paper)", "blocks", "blocks (paper)"}});
  Count other_steps[3] = {}, other_blocks[3] = {};
  for (Count p = 4; p <= 64; p += 2) {
    const Schedule ring = torus_exchange({p}, 1, "torus:kernel=ar");
    const std::vector<StageCosts> said = said_of_ring(p);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string stage = fmt::format("stage {}", i + 1);
      const StageCosts ours = stage_costs(ring, stage);
      other_steps[i] += ours.steps == said[i].steps ? 0 : 1;
      other_blocks[i] += ours.blocks == said[i].blocks ? 0 : 1;
      if (p % 8 == 0 || p == 10) sheet.rows.push_back({p, stage, ours.steps, said[i].steps, ours.blocks, said[i].blocks});
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    constexpr const char* places[] = {"section III.B, proof of lemma 2", "section III.B, equation (1)",
                                      "section III.B, equation (2)"};
    made.equal(fmt::format("number of rings of 4 to 64 ranks with a different number of steps in stage {}", i + 1), 0,
               other_steps[i], places[i]);
    made.equal(fmt::format("number of rings of 4 to 64 ranks whose number of blocks in stage {} is not {}", i + 1, equations[i]), 0,
               other_blocks[i], places[i]);
  }
}

void compare_tori(Reproduction& made) {
  constexpr const char* places[] = {"section IV.C, proof of lemma 4", "section IV.C, equation (3)", "section IV.C, equation (4)"};
  Sheet& sheet =
      made.add_sheet({.name = "tori", .columns = {"torus", "phase 1 (blocks)", "phase 2 (blocks)", "phase 3 (blocks)", "r c^2/8"}});
  for (const auto& [rows, columns] : {std::pair<Count, Count>{4, 4}, {4, 8}, {8, 8}, {8, 12}, {12, 12}, {12, 16}, {16, 16}}) {
    const Schedule torus = torus_exchange({rows, columns}, 1, "torus:order=at2");
    const std::vector<StageCosts> said = said_of_torus(rows, columns);
    const std::string name = fmt::format("{}x{}", rows, columns);
    auto& row = sheet.rows.emplace_back(std::vector<Cell>{name});
    for (std::size_t i = 0; i < 3; ++i) {
      const StageCosts ours = stage_costs(torus, fmt::format("phase {}", i + 1));
      row.emplace_back(ours.blocks);
      made.equal(fmt::format("{}: steps of phase {}, {}", name, i + 1, i == 0 ? "2" : "c/4"), said[i].steps, ours.steps, places[i]);
      made.equal(
          fmt::format("{}: blocks of phase {}, {}", name, i + 1, i == 0 ? "rc/8 + rc/16 + rc/16" : "(rc/32 + rc/32 - r/8) c"),
          said[i].blocks, ours.blocks, places[i]);
    }
    row.emplace_back(rows * columns * columns / 8);
  }
  made.add_panel({.title = "AT2, counted phase by phase",
                  .x_label = "torus",
                  .y_label = "blocks a port carries",
                  .curves = {{1, "phase 1"}, {2, "phase 2"}, {3, "phase 3"}, paper_points(4, "r c^2/8 (lemma 4)")},
                  .kind = PanelKind::bars});
}

// "O(c) message startup cost": checks that the counted start-ups stay between two constants times c.
void compare_growth(Reproduction& made) {
  Sheet sheet{.name = "start-ups", .columns = {"columns", "start-ups", "start-ups over c", "c/2 + 2, over c"}};
  Extremes range;
  for (Count side = 4; side <= 128; side *= 2) {
    const Count steps = figures(torus_exchange({side, side}, 1, "torus:order=at2")).c1;
    const Number c = side;
    const double ratio = Number(steps) / c;
    sheet.rows.push_back({side, steps, ratio, (c / 2 + 2) / c});
    range.add(ratio);
  }
  made.panels.push_back({.title = "start-ups of c x c ranks are O(c)",
                         .x_label = "c",
                         .y_label = "start-ups over c",
                         .sheet = made.sheets.size(),
                         .curves = {{2, "counted"}, paper_points(3, "(c/2 + 2) / c (section IV.D)")},
                         .log_x = true});
  made.sheets.push_back(std::move(sheet));
  made.at_most("start-ups over c, maximum from 4x4 to 128x128 (\"O(c) message startup cost\"; c/2 + 2 is at most c)", 1, range.most,
               "abstract and section IV.D");
  made.at_least("start-ups over c, minimum from 4x4 to 128x128 (c/2 + 2 is above c/2)", 0.5, range.least,
                "abstract and section IV.D");
}

Reproduction make_liu2005_stages(const Making& making) {
  Reproduction made{
      .remarks = {"Stages and phases are those of the schedules, which have the paper's names: `quadrille schedule alltoall "
                  "--algorithm torus:kernel=ar --grid 8` prints them. Equations (3) and (4) are for the rings of the rows, because "
                  "r <= c. If c = 4 (mod 8), our schedules meet these equations by choosing other routes."}};
  making.show("rings");
  compare_rings(made);
  making.show("tori");
  compare_tori(made);
  compare_growth(made);
  return made;
}

}  // namespace

extern const Exhibit liu2005_fig3{
    .title = "Complete exchange on all-port rings",
    .source = "liu2005, figures 2 and 3, lemma 2 and section VI",
    .about = "algorithm AR on rings of 4 to 64 ranks; on odd rings, AR with an imaginary node, and our own algorithm",
    .make = make_liu2005_fig3,
};

extern const Exhibit liu2005_table1{
    .title = "Phase 1 of the exchange on a torus, port by port",
    .source = "liu2005, table I",
    .about = "the longest messages of the first two rounds",
    .make = make_liu2005_table1,
};

extern const Exhibit liu2005_lemma4{
    .title = "Steps and volume of the exchange on tori",
    .source = "liu2005, lemmas 3 and 4",
    .about = "the algorithm as we run it with either kernel, and counted literally from figures 2 and 5 in two ways",
    .make = make_liu2005_lemma4,
};

extern const Exhibit liu2005_stages{
    .title = "Costs of the exchange on rings and tori, stage by stage",
    .source = "liu2005, equations (1) to (4), sections III.B, IV.C and IV.D",
    .about = "steps and the longest messages of each stage, counted from schedules",
    .make = make_liu2005_stages,
};

}  // namespace quadrille::papers
