// SPDX-License-Identifier: BSD-3-Clause
// The volume of the exchange on tori: as printed, and with our choice of routes to opposite ranks.
#include <fmt/format.h>

#include "papers/exhibit.hpp"
#include "papers/exhibits/torus_exchange.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

// Returns the finding for tori on which the blocks, sent as printed, exceed r c^2/8. In each of the phases 2 and 3, all blocks of
// one row for the opposite column go in one direction. So each phase takes r/2 more blocks.
PaperFinding one_way(Count rows, Count columns) {
  PaperFinding finding{.value = rows * columns * columns / 8 + rows};
  if (columns / 2 < 4) {
    finding.level = Outcome::beyond_assumptions;
    finding.why = "phases 2 and 3 run algorithm AR on rings of c/2 = 2 ranks, but section III defines it for p >= 4";
  } else {
    finding.level = Outcome::paper_is_wrong;
    finding.why =
        "if c = 4 (mod 8), all blocks for the opposite column go in one direction; our schedules choose the direction by the "
        "parity of the other dimension";
  }
  return finding;
}

Reproduction make_liu2005_lemma4(const Making&) {
  Reproduction made{.remarks = {"Lemma 3 takes the time of a phase from the rings of the longer side alone, so rows and columns "
                                "need not be in lock-step. Both ways of counting are in the table."}};
  Sheet sheet{.columns = {"rows", "columns", "steps", "blocks", "r c^2/8", "blocks as printed, link by link",
                          "blocks as printed, in lock-step"}};
  for (const auto& [rows, columns] : {std::pair<Count, Count>{4, 4}, {4, 8}, {8, 8}, {8, 12}, {12, 12}, {12, 16}, {16, 16}}) {
    const Figures ours = figures(torus_exchange({rows, columns}, 1, "torus:order=at2"));
    const PrintedTorusVolumes printed = printed_torus_volumes(rows, columns);
    const Number r = rows, c = Number(columns), blocks = r * c * c / 8;
    sheet.rows.push_back({rows, columns, ours.c1, ours.c2, blocks, printed.by_link, printed.in_step});
    const std::string place = fmt::format("{}x{}", rows, columns);
    made.equal(place + ": steps, c/2 + 2", c / 2 + 2, ours.c1, "section IV.D");
    made.equal(place + ": blocks, r c^2/8", blocks, ours.c2, "lemma 4");
    made.equal(place + ": blocks, r c^2/8, with the routes of figure 2 as printed, link by link", blocks, printed.by_link,
               "lemma 4, figures 2 and 5")
        .finding = one_way(rows, columns);
    if (printed.in_step == printed.by_link) continue;
    made.comparisons.push_back({.what = place + ": the same, with all rows and columns in lock-step",
                                .paper = blocks,
                                .ours = printed.in_step,
                                .finding = PaperFinding{.level = Outcome::beyond_assumptions,
                                                        .value = 424,
                                                        .why = "lemma 3 takes the longer of the times of a row ring and a column "
                                                               "ring, so neither waits for the other's steps"},
                                .place = "lemmas 3 and 4",
                                .is_reading = true});
  }
  made.sheets.push_back(std::move(sheet));
  return made;
}

}  // namespace

extern const Exhibit liu2005_lemma4{
    .id = "liu2005-lemma4",
    .title = "Steps and volume of the exchange on tori",
    .source = "liu2005, lemmas 3 and 4",
    .about = "the algorithm as we run it, and counted literally from figures 2 and 5 in two ways",
    .make = make_liu2005_lemma4,
};

}  // namespace quadrille::papers
