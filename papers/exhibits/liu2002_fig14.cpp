// SPDX-License-Identifier: BSD-3-Clause
// Pattern2: the target of each rank, as printed and as a permutation for any number of ranks.
#include <set>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "patterns/rank_array.hpp"

namespace quadrille::papers {
namespace {

// The printed formula: rank i sends to (i % C) C + i / C.
bool is_permutation_as_printed(Count p) {
  const Count columns = RankArray::paper_columns(p);
  std::set<Rank> targets;
  for (Rank i = 0; i < p; ++i) {
    const Rank target = i % columns * columns + i / columns;
    if (target < p) targets.insert(target);
  }
  return std::ssize(targets) == p;
}

bool is_permutation(const Problem& problem) {
  std::set<Rank> targets;
  for (Rank i = 0; i < problem.ranks; ++i)
    for (const Share& share : Traffic(problem).sent_by(i)) targets.insert(share.peer);
  return std::ssize(targets) == problem.ranks && Traffic(problem).heaviest() == Traffic(problem).longest();
}

Reproduction make_liu2002_fig14(const Making&) {
  Reproduction made;
  Sheet sheet{.columns = {"ranks", "permutation as printed", "permutation in our form"}};
  Count as_printed = 0, ours = 0, squares = 0, squares_as_printed = 0;
  for (Count p = 16; p <= 100; ++p) {
    const bool printed = is_permutation_as_printed(p), right = is_permutation(traffic_of(p, TrafficKind::transpose, 1, 0));
    const bool square = paper_root(p) * paper_root(p) == p;
    squares += square ? 1 : 0;
    squares_as_printed += square && printed ? 1 : 0;
    as_printed += printed ? 1 : 0;
    ours += right ? 1 : 0;
    sheet.rows.push_back({p, std::string(printed ? "yes" : "no"), std::string(right ? "yes" : "no")});
  }
  made.sheets.push_back(std::move(sheet));
  made.equal("squares from 16 to 100 for which Pattern2 as printed is a transpose", squares, squares_as_printed, "figure 14");
  made.comparisons.push_back({.what = "numbers of ranks from 16 to 100 for which Pattern2 as printed is a transpose",
                              .paper = 85,
                              .ours = as_printed,
                              .finding = PaperFinding{.level = Outcome::beyond_assumptions,
                                                      .value = 13,
                                                      .why = "the paper uses Pattern2 on squares only; rank (i % C) C + i / C "
                                                             "exists for all i only if P is a square or one less"},
                              .place = "figure 14",
                              .is_reading = true});
  made.equal("numbers of ranks from 16 to 100 for which our Pattern2, which numbers the ranks column by column, is a transpose", 85,
             ours, "figure 14")
      .is_reading = true;
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig14{
    .id = "liu2002-fig14",
    .title = "Pattern2 for any number of ranks",
    .source = "liu2002, figure 14 and section 4",
    .about = "targets of all ranks, by the printed formula and in the traffic that the other exhibits use",
    .make = make_liu2002_fig14,
};

}  // namespace quadrille::papers
