// SPDX-License-Identifier: BSD-3-Clause
// The memory that A1 to A4 need for intermediate data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
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

Reproduction make_liu2002_table4(const Making& making) {
  Reproduction made{
      .remarks = {
          "In the paper a rank's own data is in the send buffer at the start, and the algorithm then writes to this buffer. Our "
          "schedules never write to the input. So the paper's two buffers are compared with the memory that a schedule writes to "
          "on a rank: output and scratch together. The last column of the table also includes the input."}};
  const Count p = 64;
  const Bytes most = 1024;
  const Problem problem = traffic_of(p, TrafficKind::transpose, most, 0);
  const Number n = p, m = most, heaviest = Traffic(problem).heaviest(), root = paper_root(p);
  const double send[] = {m * n, heaviest, m * n, heaviest}, receive[] = {heaviest, heaviest, m * n, heaviest};
  Sheet sheet{.columns = {"algorithm", "send buffer (paper)", "receive buffer (paper)", "both (paper)", "scratch",
                          "output and scratch", "most elements on a rank after a stage", "input, output and scratch"}};
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
            fmt::format("A{}: elements of sBUF and rBUF together (table 4); ours: output and scratch of a rank, maximum", number),
        .paper = both,
        .ours = written[number],
        .relation = Relation::at_most,
        .place = "table 4"};
    if (number == 1)
      comparison.finding = PaperFinding{.level = Outcome::sharper_bound,
                                        .value = heaviest,
                                        .why =
                                            "the counts are known, so no message needs a slot of M_max elements, and each message "
                                            "is sent from where its data is"};
    if (number == 3)
      comparison.finding =
          PaperFinding{.level = Outcome::sharper_bound,
                       .value = root * heaviest,
                       .why =
                           "the counts are known, so no message needs a slot of M_max elements; a rank receives the data of the "
                           "sqrt(P) - 1 others of its row and, in the end, the data for itself: sqrt(P) L"};
    made.comparisons.push_back(std::move(comparison));
  }
  made.sheets.push_back(std::move(sheet));
  made.at_most(
      "A4, counts that P divides: excess of a rank's output and scratch over 2 ceil(sqrt P)^2 (L_max/P), maximum (\"the total size "
      "of the buffer needed at any node\")",
      0, above_theorem_1(making), "theorem 1, section 3.2.4");
  made.equal(
          "memory of A3 over memory of A4, P (\"if M_max = L_max, then A3 needs P times the buffer space required by A4\", section "
          "3.3)",
          n, written[3] / written[4], "section 3.3")
      .found(Outcome::beyond_assumptions, root * heaviest / written[4],
             "P follows from table 4, in which A3 has a slot of M_max elements for each message; our A3 has no such slots, because "
             "the counts are known");
  return made;
}

}  // namespace

extern const Exhibit liu2002_table4{
    .id = "liu2002-table4",
    .title = "Buffers of the four algorithms",
    .source = "liu2002, table 4, section 3.3 and theorem 1",
    .about =
        "64 ranks, Pattern2 with messages of 1024 elements and no others, so that M_max = L_max; all values are in elements. "
        "Theorem 1 is checked for 12 numbers of ranks from 16 to 100 and both patterns, with counts that P divides",
    .make = make_liu2002_table4,
};

}  // namespace quadrille::papers
