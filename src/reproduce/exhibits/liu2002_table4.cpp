// SPDX-License-Identifier: BSD-3-Clause
// Memory that A1 to A4 need on the way.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/exhibit.hpp"
#include "reproduce/exhibits/irregular.hpp"

namespace quadrille::reproduce {
namespace {

// The most that a rank holds after any stage.
Bytes most_held(const Problem& problem, int number) {
  Bytes most = 0;
  for (const StageTrace& stage : trace(make_schedule(problem, irregular_algorithm(number))))
    most = std::max(most, *std::max_element(stage.held.begin(), stage.held.end()));
  return most;
}

Reproduction make(const Making&) {
  Reproduction made{
      .remarks = {"Compared is what a node holds of others' elements. Our schedules use more scratch than that, as the last column "
                  "says, since what arrives in a stage does not overwrite what the stage sends."}};
  const Count p = 64;
  const Bytes most = 1024;
  const Problem problem = traffic_of(p, TrafficKind::transpose, most, 0);
  const auto n = static_cast<double>(p), m = static_cast<double>(most), heaviest = static_cast<double>(Traffic(problem).heaviest());
  const double send[] = {m * n, heaviest, m * n, heaviest}, receive[] = {heaviest, heaviest, m * n, heaviest};
  Sheet sheet{.columns = {"algorithm", "most elements on a node", "send buffer (paper)", "receive buffer (paper)",
                          "scratch of our schedule"}};
  double held[5] = {};
  for (int number = 1; number <= 4; ++number) {
    const Schedule schedule = make_schedule(problem, irregular_algorithm(number));
    held[number] = static_cast<double>(most_held(problem, number));
    sheet.rows.push_back(
        {fmt::format("A{}", number), held[number], send[number - 1], receive[number - 1], workload(schedule).scratch});
    made.comparisons.push_back({.what = fmt::format("A{}: elements on a node at a time, the most", number),
                                .paper = receive[number - 1],
                                .ours = held[number],
                                .relation = Relation::at_most});
  }
  made.sheets.push_back(std::move(sheet));
  made.comparisons.push_back(
      {.what = "what A3 needs over what A4 needs where M_max = L_max, P (section 3.3)",
       .paper = n,
       .ours = held[3] / held[4],
       .erratum = Erratum{8, "a node holds sqrt(P) L at most; P times it is only for slots of M_max elements for each message"}});
  return made;
}

}  // namespace

extern const Exhibit liu2002_table4{
    .id = "liu2002-table4",
    .title = "Buffers of the four algorithms",
    .source = "liu2002, table 4 and section 3.3",
    .about = "64 nodes, Pattern2 with messages of 1024 elements and nothing else, so that M_max = L_max; in elements",
    .make = make,
};

}  // namespace quadrille::reproduce
