// SPDX-License-Identifier: BSD-3-Clause
// Checks the worked example of the index operation on five processors: figures 1 to 3, and what the text says about
// single blocks.
#include "papers/exhibit.hpp"
#include "papers/machines.hpp"
#include "papers/moves.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

Schedule index_operation(Count n, Count radix) {
  return make_schedule(Problem::alltoall(n, 1), fmt::format("bruck:radix={},form=classical", radix));
}

// Counts the slots, of all n x n, that the last rearrangement moves to position i + j ("rotated i steps downwards").
Count rotated_downwards(const Schedule& schedule) {
  const Count n = schedule.problem.ranks;
  Count count = 0;
  for (Rank i = 0; i < n; ++i) {
    const Program program = schedule.program(i);
    for (const Local& local : program.rounds.back().locals) {
      const std::vector<Bytes> from = places_of(local.source), to = places_of(local.target);
      for (std::size_t b = 0; b < from.size(); ++b) count += to[b] == (i + from[b]) % n ? 1 : 0;
    }
  }
  return count;
}

Reproduction make_bruck1997_fig3(const Making&) {
  Reproduction made;
  const Schedule schedule = index_operation(5, 2);
  Sheet sheet{.columns = {"round", "offset", "slots that move", "blocks"}};
  for (const Move& move : moves_of(schedule, 0)) sheet.rows.push_back({move.round, move.offset, listed(move.places), move.length});
  made.sheets.push_back(std::move(sheet));

  const Figures binary = figures(schedule), direct = figures(index_operation(5, 5));
  made.equal("rounds for radix 2, ceil(log2 5)", 3, binary.c1, "section 3.3 (1)");
  made.at_most("blocks a port carries for radix 2, against ceil(5/2) ceil(log2 5)", 9, binary.c2, "section 3.3 (1)");
  made.equal("rounds for radix n", 4, direct.c1, "section 3.3 (2)");
  made.equal("blocks a port carries for radix n", 4, direct.c2, "section 3.3 (2)");

  // "When r is chosen to be 3, the fifth block will be rotated two steps to the right .. and later again three steps."
  std::vector<Count> steps;
  for (const Move& move : moves_of(index_operation(9, 3), 0))
    if (std::find(move.places.begin(), move.places.end(), 5) != move.places.end()) steps.push_back(move.offset);
  made.equal("steps by which block 5 moves for radix 3, first time", 2, steps.at(0), "section 3.2, p. 1148");
  made.equal("steps by which block 5 moves for radix 3, second time", 3, steps.at(1), "section 3.2, p. 1148");

  made.equal("rounds for n = 5 and radix 2 if the last digit has floor(n/dist) values (Appendix A, line 8)", 2, binary.c1,
             "Appendix A, line 8")
      .found(Outcome::misprint, 3,
             "with the floor, block 4 would never move; section 3.3 counts ceil(log2 n) rounds, so ceil(n/dist) is meant")
      .finding->is_transcript_in_doubt = true;
  made.equal("number of the 25 blocks that phase 3 rotates i steps downwards", 25, rotated_downwards(schedule), "section 3.1")
      .found(Outcome::misprint, 5,
             "phase 3 moves the block at position j to i - j, which is a reflection, as in line 22 of Appendix A; only one block "
             "of each processor agrees with both");
  return made;
}

}  // namespace

extern const Exhibit bruck1997_fig3{
    .id = "bruck1997-fig3",
    .title = "The index operation on five processors",
    .source = "bruck1997, figures 1 to 3, section 3.2 and Appendix A",
    .about = "rounds, offsets and blocks of processor 0, from the classical form of the schedule",
    .make = make_bruck1997_fig3,
};

}  // namespace quadrille::papers
