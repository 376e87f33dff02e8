// SPDX-License-Identifier: BSD-3-Clause
// The memory that A1 to A4 need for intermediate data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quadrille/cost.hpp"
#include "reproduce/exhibit.hpp"
#include "reproduce/exhibits/irregular.hpp"

namespace quadrille::reproduce {
namespace {

// Returns the most elements that a rank holds after any stage.
Bytes most_held(const Problem& problem, int number) {
  Bytes most = 0;
  for (const StageTrace& stage : trace(make_schedule(problem, irregular_algorithm(number))))
    most = std::max(most, *std::max_element(stage.held.begin(), stage.held.end()));
  return most;
}

// Returns the most by which A4's memory on a rank exceeds the bound of theorem 1, in units of L / P. The exchanges are Pattern1 and
// Pattern2 with counts that are multiples of P.
double above_theorem_1(const Making& making) {
  double most = -INFINITY;
  for (const Count p :
       making.small ? std::vector<Count>{21, 25} : std::vector<Count>{16, 18, 21, 25, 36, 41, 49, 55, 61, 64, 81, 100})
    for (const TrafficKind kind : {TrafficKind::spike, TrafficKind::transpose}) {
      const Schedule schedule = make_schedule(traffic_of(p, kind, 8 * p, p), irregular_algorithm(4));
      const Number share = ratio(Traffic(schedule.problem).heaviest(), p), root = paper_root(p);
      most = std::max(most, Number(output_and_scratch(schedule)) / share - 2 * root * root);
    }
  return most;
}

Reproduction make(const Making& making) {
  Reproduction made{
      .remarks = {"In the paper a node's own data is in the send buffer at the start, which is then written to. Our input is never "
                  "written to. Compared with the paper's two buffers is what a schedule writes to on a node, output and scratch "
                  "together; the input is besides, and the last column of the table has it as well."}};
  const Count p = 64;
  const Bytes most = 1024;
  const Problem problem = traffic_of(p, TrafficKind::transpose, most, 0);
  const Number n = p, m = most, heaviest = Traffic(problem).heaviest(), root = paper_root(p);
  const double send[] = {m * n, heaviest, m * n, heaviest}, receive[] = {heaviest, heaviest, m * n, heaviest};
  Sheet sheet{.columns = {"algorithm", "send buffer (paper)", "receive buffer (paper)", "both (paper)", "scratch",
                          "output and scratch", "most elements on a node at a time", "input, output and scratch"}};
  double written[5] = {};
  for (int number = 1; number <= 4; ++number) {
    const Schedule schedule = make_schedule(problem, irregular_algorithm(number));
    const double both = send[number - 1] + receive[number - 1];
    const Number scratch = workload(schedule).scratch;
    written[number] = Number(output_and_scratch(schedule));
    sheet.rows.push_back({fmt::format("A{}", number), send[number - 1], receive[number - 1], both, scratch, written[number],
                          most_held(problem, number), written[number] + heaviest});
    Comparison comparison{
        .what =
            fmt::format("A{}: elements of sBUF and rBUF together (table 4); ours: output and scratch of a node, the most", number),
        .paper = both,
        .ours = written[number],
        .relation = Relation::at_most,
        .place = "table 4"};
    if (number == 1)
      comparison.finding = PaperFinding{.level = Outcome::sharper_bound,
                                        .value = heaviest,
                                        .why =
                                            "where the counts are known no message needs a slot of M_max elements, and what is "
                                            "sent is sent from where it is"};
    if (number == 3)
      comparison.finding =
          PaperFinding{.level = Outcome::sharper_bound,
                       .value = root * heaviest,
                       .why =
                           "where the counts are known no message needs a slot of M_max elements, and a node takes in what the "
                           "sqrt(P) - 1 others of its row send, in the end its own besides: sqrt(P) L"};
    made.comparisons.push_back(std::move(comparison));
  }
  made.sheets.push_back(std::move(sheet));
  made.at_most(
      "A4, counts that P divides: output and scratch of a node above 2 ceil(sqrt P)^2 (L_max/P), the most (\"the total size of the "
      "buffer needed at any node\")",
      0, above_theorem_1(making), "theorem 1, section 3.2.4");
  made.equal(
          "what A3 needs over what A4 needs, P (\"if M_max = L_max, then A3 needs P times the buffer space required by A4\", "
          "section 3.3)",
          n, written[3] / written[4], "section 3.3")
      .found(Outcome::beyond_assumptions, root * heaviest / written[4],
             "P follows from table 4, whose A3 has a slot of M_max elements for each message; ours has none, since the counts are "
             "known");
  return made;
}

}  // namespace

extern const Exhibit liu2002_table4{
    .id = "liu2002-table4",
    .title = "Buffers of the four algorithms",
    .source = "liu2002, table 4, section 3.3 and theorem 1",
    .about =
        "64 nodes, Pattern2 with messages of 1024 elements and nothing else, so that M_max = L_max; in elements. Theorem 1 for 12 "
        "numbers of nodes from 16 to 100, both patterns, with counts that P divides",
    .make = make,
};

}  // namespace quadrille::reproduce
