// SPDX-License-Identifier: BSD-3-Clause
// The costs of each stage of algorithm AR and of each phase of algorithm AT2 (equations (1) to (4)), compared
// with those of our schedules.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibit.hpp"
#include "papers/exhibits/torus_exchange.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

struct StageCosts {
  Count steps = 0;
  Bytes blocks = 0;  // sum over the steps of the longest message
};

StageCosts counted(const Schedule& schedule, const std::string& stage) {
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

// Returns the paper's counts for phases 1 to 3, for tori whose sides are multiples of 4 and that have no more rows
// than columns: rc/8 + rc/16 + rc/16, and twice (rc/32 + rc/32 - r/8) c.
std::vector<StageCosts> said_of_torus(Count rows, Count columns) {
  const Count all = rows * columns, phase = all / 16 * (columns - 2);
  return {{2, all / 4}, {columns / 4, phase}, {columns / 4, phase}};
}

void compare_rings(Reproduction& made) {
  constexpr const char* equations[] = {"ceil(p/4) (lemma 2)", "floor(p/4) ceil(p/4) (1)", "floor(p/4) (ceil(p/4) - 1) (2)"};
  Sheet sheet{.name = "rings", .columns = {"ranks", "stage", "steps", "steps (paper)", "blocks", "blocks (paper)"}};
  Count other_steps[3] = {}, other_blocks[3] = {};
  for (Count p = 4; p <= 64; p += 2) {
    const Schedule ring = torus_exchange({p}, 1, "torus:kernel=ar");
    const std::vector<StageCosts> said = said_of_ring(p);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string stage = fmt::format("stage {}", i + 1);
      const StageCosts ours = counted(ring, stage);
      other_steps[i] += ours.steps == said[i].steps ? 0 : 1;
      other_blocks[i] += ours.blocks == said[i].blocks ? 0 : 1;
      if (p % 8 == 0 || p == 10) sheet.rows.push_back({p, stage, ours.steps, said[i].steps, ours.blocks, said[i].blocks});
    }
  }
  made.sheets.push_back(std::move(sheet));
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
  Sheet sheet{.name = "tori", .columns = {"torus", "phase 1 (blocks)", "phase 2 (blocks)", "phase 3 (blocks)", "r c^2/8"}};
  for (const auto& [rows, columns] : {std::pair<Count, Count>{4, 4}, {4, 8}, {8, 8}, {8, 12}, {12, 12}, {12, 16}, {16, 16}}) {
    const Schedule torus = torus_exchange({rows, columns}, 1, "torus:order=at2");
    const std::vector<StageCosts> said = said_of_torus(rows, columns);
    const std::string name = fmt::format("{}x{}", rows, columns);
    auto& row = sheet.rows.emplace_back(std::vector<Cell>{name});
    for (std::size_t i = 0; i < 3; ++i) {
      const StageCosts ours = counted(torus, fmt::format("phase {}", i + 1));
      row.emplace_back(ours.blocks);
      made.equal(fmt::format("{}: steps of phase {}, {}", name, i + 1, i == 0 ? "2" : "c/4"), said[i].steps, ours.steps, places[i]);
      made.equal(
          fmt::format("{}: blocks of phase {}, {}", name, i + 1, i == 0 ? "rc/8 + rc/16 + rc/16" : "(rc/32 + rc/32 - r/8) c"),
          said[i].blocks, ours.blocks, places[i]);
    }
    row.emplace_back(rows * columns * columns / 8);
  }
  made.panels.push_back({.title = "AT2, counted phase by phase",
                         .x_label = "torus",
                         .y_label = "blocks a port carries",
                         .sheet = made.sheets.size(),
                         .curves = {{1, "phase 1"}, {2, "phase 2"}, {3, "phase 3"}, paper_points(4, "r c^2/8 (lemma 4)")},
                         .kind = PanelKind::bars});
  made.sheets.push_back(std::move(sheet));
}

// "O(c) message startup cost": checks that the counted start-ups stay between two constants times c.
void compare_growth(Reproduction& made) {
  Sheet sheet{.name = "start-ups", .columns = {"columns", "start-ups", "start-ups over c", "c/2 + 2, over c"}};
  double least = 1e300, most = 0;
  for (Count side = 4; side <= 128; side *= 2) {
    const Count steps = figures(torus_exchange({side, side}, 1, "torus:order=at2")).c1;
    const Number c = side;
    const double ratio = Number(steps) / c;
    sheet.rows.push_back({side, steps, ratio, (c / 2 + 2) / c});
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  made.panels.push_back({.title = "start-ups of c x c ranks are O(c)",
                         .x_label = "c",
                         .y_label = "start-ups over c",
                         .sheet = made.sheets.size(),
                         .curves = {{2, "counted"}, paper_points(3, "(c/2 + 2) / c (section IV.D)")},
                         .log_x = true});
  made.sheets.push_back(std::move(sheet));
  made.at_most("start-ups over c, maximum from 4x4 to 128x128 (\"O(c) message startup cost\"; c/2 + 2 is at most c)", 1, most,
               "abstract and section IV.D");
  made.at_least("start-ups over c, minimum from 4x4 to 128x128 (c/2 + 2 is above c/2)", 0.5, least, "abstract and section IV.D");
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

extern const Exhibit liu2005_stages{
    .id = "liu2005-stages",
    .title = "Costs of the exchange on rings and tori, stage by stage",
    .source = "liu2005, equations (1) to (4), sections III.B, IV.C and IV.D",
    .about = "steps and the longest messages of each stage, counted from schedules",
    .make = make_liu2005_stages,
};

}  // namespace quadrille::papers
