// SPDX-License-Identifier: BSD-3-Clause
// A3 and A4 from a group of senders to a group of receivers: in arrays of all ranks, and in an array of each group.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

constexpr const char* place = "section 5";

Reproduction make_liu2002_groups(const Making& making) {
  Reproduction made{
      .remarks = {"The first ranks are the senders. Each sends as many elements to each receiver: a multiple of the number of "
                  "ranks, so that everything is dealt out evenly, as in lemma 2. L is the most that a rank sends or receives. "
                  "Messages to oneself are not counted.",
                  "two and four stages are groups, whose array of senders and array of receivers have no empty rows and "
                  "columns; grid and four-stage arrange all ranks in one array."}};
  Sheet sheet{.columns = {"senders", "receivers", "algorithm", "start-ups", "volume (L)", "traffic of a rank (L)"}};
  for (const auto& [senders, receivers] :
       making.small ? std::vector<std::pair<Count, Count>>{{4, 9}}
                    : std::vector<std::pair<Count, Count>>{{16, 48}, {32, 32}, {48, 16}, {4, 60}, {60, 4}, {13, 37}}) {
    const Count p = senders + receivers, each = senders * receivers * p;
    making.show(fmt::format("{} senders, {} receivers", senders, receivers));
    std::vector<TrafficEntry> entries;
    for (Rank from = 0; from < senders; ++from)
      for (Rank to = senders; to < p; ++to) entries.push_back({from, to, each});
    const Problem problem = Problem::alltoallv(p, entries);
    const Bytes load = Traffic(problem).heaviest();
    const auto count = [&](const char* specification, const char* title) {
      const Figures counted = figures(make_schedule(problem, specification));
      sheet.rows.push_back({senders, receivers, std::string(title), counted.c1, ratio(counted.c2, load),
                            ratio(std::max(counted.traffic_out, counted.traffic_in), load)});
      return counted;
    };
    const std::string of = fmt::format("{} senders, {} receivers", senders, receivers);
    const Figures grid = count("grid:counts=known", "grid"),
                  two = count("groups:stages=two,counts=known,grain=1", "groups, two stages"),
                  a4 = count("four-stage:counts=known,grain=1", "four-stage"),
                  four = count("groups:counts=known,grain=1", "groups, four stages");
    const char* own_column =
        "from group to group there is a message for each column; in one array a rank keeps the data for its own column, which "
        "saves a "
        "start-up in each pass";
    Comparison& of_two = made.at_most(
        of + ": start-ups in two stages over those of A3 in an array of all ranks (\"It can also be modified to perform all-to-all "
             "communication when senders and receivers belong to distinct groups\")",
        1, ratio(two.c1, grid.c1), place);
    of_two.is_reading = true;
    of_two.reason = own_column;
    Comparison& of_four =
        made.at_most(of + ": start-ups in four stages over those of A4 in an array of all ranks", 1, ratio(four.c1, a4.c1), place);
    of_four.is_reading = true;
    of_four.reason = own_column;
    made.at_most(of + ": what a rank sends or receives in four stages (L), 4 with A4", 4,
                 ratio(std::max(four.traffic_out, four.traffic_in), load), "theorem 2")
        .is_reading = true;
  }
  made.sheets.push_back(std::move(sheet));
  return made;
}

}  // namespace

extern const Exhibit liu2002_groups{
    .id = "liu2002-groups",
    .title = "Distinct groups of senders and receivers",
    .source = "liu2002, section 5",
    .about = "A3 and A4 in one array of all ranks, and the same stages in an array of the senders and one of the receivers",
    .make = make_liu2002_groups,
};

}  // namespace quadrille::papers
