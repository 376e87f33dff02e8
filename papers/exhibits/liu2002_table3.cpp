// SPDX-License-Identifier: BSD-3-Clause
// The start-ups and the traffic of A1 to A4.
#include <fmt/format.h>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

double startups_with_own(const Schedule& schedule) { return Number(figures(with_own_messages(schedule)).c1); }

Reproduction make_liu2002_table3(const Making& making) {
  Reproduction made{.remarks = {"Misprints that concern no number, some of which may be the transcript's: (3) has P T_s_send where "
                                "(1) and (4) have P T_s; theorem 2 writes T_d for T_s; the R- and the C-Schedule of figure 6 are "
                                "exchanged between overview and definition, and C-Collect belongs to stage III and is by column."}};
  Sheet sheet{.columns = {"ranks", "algorithm", "start-ups", "start-ups (paper)", "traffic of a rank (L)", "traffic (paper)"}};
  for (const Count p : {64, 61}) {
    making.show(fmt::format("{} ranks", p));
    const Count root = paper_root(p);
    const Number n = p, k = Number(root);
    const double startups[] = {n, 2 * n, 2 * k, 4 * k + 2}, traffic[] = {1, 2, 2, 4 * k * k / n};
    for (int number = 1; number <= 4; ++number) {
      const bool square = root * root == p;
      if (number == 3 && !square) continue;  // A3 needs a square
      const Problem transpose = traffic_of(p, TrafficKind::transpose, 16 * p, 0);
      const Problem ones = make_traffic(p, {.kind = TrafficKind::equal, .typical = p});
      const Schedule schedule = make_schedule(transpose, irregular_algorithm(number));
      const auto counted = startups_with_own(make_schedule(ones, irregular_algorithm(number)));
      const double received = ratio(most_received(trace(schedule)), Traffic(transpose).heaviest());
      sheet.rows.push_back({p, fmt::format("A{}", number), counted, startups[number - 1], received, traffic[number - 1]});
      const std::string place = fmt::format("A{}, {} ranks", number, p);
      made.comparisons.push_back({.what = place + ": start-ups",
                                  .paper = startups[number - 1],
                                  .ours = counted,
                                  .relation = number == 4 ? Relation::at_most : Relation::equal,
                                  .place = "table 3"});
      Comparison comparison{.what = place + ", Pattern2: traffic of a rank (L)",
                            .paper = traffic[number - 1],
                            .ours = received,
                            .relation = Relation::at_most,
                            .place = "table 3"};
      if (number == 3)
        comparison.finding = PaperFinding{.level = Outcome::paper_is_wrong,
                                          .value = k + 1,
                                          .why =
                                              "in the row hop a rank may receive the data of sqrt(P) ranks, a hot spot of section "
                                              "3.1.3, and the column hop then brings it L more"};
      made.comparisons.push_back(std::move(comparison));
    }
  }
  made.sheets.push_back(std::move(sheet));
  // The shift matrix comes closer to the bound on the volume than all other traffic matrices.
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < 61; ++from) entries.push_back({from, (from + 1) % 61, 61});
  const Schedule shifted = make_schedule(Problem::alltoallv(61, std::move(entries)), irregular_algorithm(4));
  const Number volume = figures(with_own_messages(shifted)).c2;
  made.at_most(
      "A4, 61 ranks, each sends to the next rank: sum over the steps of the longest message (L/P), 4 K (K + 1) (theorem 2)", 288,
      volume, "theorem 2");
  made.at_most("A4, 61 ranks, each sends to the next rank: sum over the steps of the longest message (L/P), 4 K^2", 256, volume,
               "section 1 and table 3")
      .found(Outcome::misprint, 286, "theorem 2 has 4 K (K + 1) for the same time")
      .finding->is_transcript_in_doubt = true;
  made.equal(
          "A4, 61 ranks: total start-ups, K + 2 (proof of theorem 2)", 10,
          startups_with_own(make_schedule(make_traffic(61, {.kind = TrafficKind::equal, .typical = 61}), irregular_algorithm(4))),
          "proof of theorem 2")
      .found(Outcome::misprint, 34,
             "4 K + 2, as the theorem itself says: stages I and III have K + 1 steps each, stages II and IV have K")
      .finding->is_transcript_in_doubt = true;
  return made;
}

}  // namespace

extern const Exhibit liu2002_table3{
    .id = "liu2002-table3",
    .title = "Start-ups and traffic of the four algorithms",
    .source = "liu2002, table 3 and theorem 2",
    .about =
        "start-ups of an exchange with equal counts, and traffic of Pattern2 without small messages; messages to oneself are "
        "counted, as in the paper",
    .make = make_liu2002_table3,
};

}  // namespace quadrille::papers
