// SPDX-License-Identifier: BSD-3-Clause
// Checks the worked examples of the concatenation operation: the spanning trees of nine ranks on two ports, and five
// ranks on one.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "papers/exhibit.hpp"
#include "papers/machines.hpp"
#include "papers/moves.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

Schedule concatenation(Count n, Count ports, Bytes block_bytes) {
  return make_schedule(problem_of(Collective::allgather, n, block_bytes), fmt::format("concatenation:ports={}", ports));
}

void compare(Reproduction& made, const Schedule& schedule, const std::vector<std::pair<Count, Bytes>>& said, const std::string& who,
             const char* place) {
  const std::vector<Move> moves = moves_of(schedule, 0);
  Sheet sheet{.name = who, .columns = {"round", "offset", "blocks"}};
  for (const Move& move : moves) sheet.rows.push_back({move.round, move.offset, move.length});
  made.sheets.push_back(std::move(sheet));
  for (std::size_t i = 0; i < said.size(); ++i) {
    const bool there = i < moves.size();
    made.equal(fmt::format("{}: offset of edge {}", who, i + 1), said[i].first, there ? moves[i].offset : 0, place);
    made.equal(fmt::format("{}: blocks on edge {}", who, i + 1), said[i].second, there ? moves[i].length : 0, place);
  }
}

// By the paper's own figures, the folklore algorithm takes twice as long for every machine and block size.
void price(Reproduction& made) {
  const MachineCosts machine = machine_of_paper("sp1");
  Sheet sheet{.name = "sp1",
              .columns = {"processors", "block (B)", "folklore (µs)", "concatenation (µs)", "folklore over concatenation"}};
  for (const Count n : {16, 64}) {
    double least = std::numeric_limits<double>::infinity();
    for (const Bytes block_bytes : {4, 64, 1024, 16384}) {
      const Problem problem = problem_of(Collective::allgather, n, block_bytes);
      const auto us = [&](const char* specification) {
        return price_of(workload(make_schedule(problem, specification)), *find_model("linear"), machine).blocking_s * 1e6;
      };
      const double folklore = us("gather-broadcast"), concatenation = us("concatenation");
      sheet.rows.push_back({n, block_bytes, folklore, concatenation, folklore / concatenation});
      least = std::min(least, folklore / concatenation);
    }
    made.at_least(
            fmt::format(
                "{} processors of the SP-1, blocks of 4 B to 16 KiB: time of the folklore algorithm over that of concatenation, "
                "minimum; by the paper's count both C1 and C2 are twice as large (\"This algorithm is not optimal\")",
                n),
            2, least, "section 4, p. 1150")
        .is_reading = true;
  }
  made.sheets.push_back(std::move(sheet));
}

Reproduction make_bruck1997_fig7(const Making&) {
  Reproduction made;
  compare(made, concatenation(9, 2, 1), {{1, 1}, {2, 1}, {3, 3}, {6, 3}}, "nine-processors", "section 4.1, figures 7 and 8");
  compare(made, concatenation(5, 1, 1), {{1, 1}, {2, 2}, {4, 1}}, "five-processors", "section 4.2, figure 9");

  const Figures folklore = figures(make_schedule(problem_of(Collective::allgather, 16, 1), "gather-broadcast"));
  made.equal("folklore algorithm (gather, then broadcast) on 16 processors: rounds, 2 ceil(log2 n)", 8, folklore.c1,
             "section 4, p. 1150");
  made.equal("folklore algorithm on 16 processors: blocks a port carries in these rounds, 2 (n - 1)", 30, folklore.c2,
             "section 4, p. 1150")
      .found(Outcome::paper_is_wrong, 15 + 16 * 4,
             "a port carries n - 1 blocks in the gather and n blocks in each of the log n rounds of the broadcast; 2 (n - 1) needs "
             "pipelining, which takes more rounds");
  price(made);
  return made;
}

}  // namespace

extern const Exhibit bruck1997_fig7{
    .id = "bruck1997-fig7",
    .title = "The concatenation operation on nine and on five processors",
    .source = "bruck1997, figures 7 to 9 and section 4",
    .about = "messages of processor 0; figure 9 counts offsets downwards, which reverses the ring",
    .make = make_bruck1997_fig7,
};

}  // namespace quadrille::papers
