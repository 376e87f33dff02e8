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

// Of a rank, the most: its input, its output and the schedule's scratch memory.
Bytes most_allocated(const Schedule& schedule) {
  const Traffic traffic(schedule.problem);
  Bytes most = 0;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    most = std::max(most, traffic.sent_bytes(rank) + traffic.received_bytes(rank) + schedule.program(rank).scratch_bytes);
  return most;
}

Reproduction make(const Making&) {
  Reproduction made{
      .remarks = {
          "Compared is what is allocated on a node in all: in the paper the send and the receive buffer of table 4, in which "
          "the node's own data are as well; here the user's input and output and the schedule's scratch memory."}};
  const Count p = 64;
  const Bytes most = 1024;
  const Problem problem = traffic_of(p, TrafficKind::transpose, most, 0);
  const auto n = static_cast<double>(p), m = static_cast<double>(most), heaviest = static_cast<double>(Traffic(problem).heaviest()),
             root = static_cast<double>(paper_root(p));
  const double send[] = {m * n, heaviest, m * n, heaviest}, receive[] = {heaviest, heaviest, m * n, heaviest};
  Sheet sheet{.columns = {"algorithm", "send buffer (paper)", "receive buffer (paper)", "both (paper)", "allocated by ours",
                          "scratch of it", "most elements on a node at a time"}};
  double allocated[5] = {};
  for (int number = 1; number <= 4; ++number) {
    const Schedule schedule = make_schedule(problem, irregular_algorithm(number));
    const double both = send[number - 1] + receive[number - 1];
    const auto scratch = static_cast<double>(workload(schedule).scratch);
    allocated[number] = static_cast<double>(most_allocated(schedule));
    sheet.rows.push_back({fmt::format("A{}", number), send[number - 1], receive[number - 1], both, allocated[number], scratch,
                          most_held(problem, number)});
    Comparison comparison{
        .what = fmt::format("A{}: elements allocated on a node, the most (table 4)", number),
        .paper = both,
        .ours = allocated[number],
        .relation = Relation::at_most,
        .reason = fmt::format("our schedule leaves the user's two buffers alone and keeps what is on its way in scratch memory of "
                              "{:.4g} L; the paper's two buffers take turns",
                              scratch / heaviest),
        .place = "table 4"};
    if (number == 1)
      comparison.finding = PaperFinding{.level = Outcome::sharper_bound,
                                        .value = 2 * heaviest,
                                        .why = "where the counts are known no message needs a slot of M_max elements"};
    if (number == 3)
      comparison.finding =
          PaperFinding{.level = Outcome::sharper_bound,
                       .value = (root + 1) * heaviest,
                       .why =
                           "where the counts are known no message needs a slot of M_max elements, and a node takes in "
                           "what sqrt(P) nodes send, (sqrt(P) + 1) L in all with what it sends"};
    made.comparisons.push_back(std::move(comparison));
  }
  made.sheets.push_back(std::move(sheet));
  made.comparisons.push_back(
      {.what = "what A3 needs over what A4 needs where M_max = L_max, P (section 3.3)",
       .paper = n,
       .ours = allocated[3] / allocated[4],
       .finding =
           PaperFinding{.level = Outcome::beyond_assumptions,
                        .value = (root + 1) * heaviest / allocated[4],
                        .why =
                            "P follows from table 4, whose A3 has a slot of M_max elements for each message; ours has none, since "
                            "the counts are known"},
       .place = "section 3.3"});
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
