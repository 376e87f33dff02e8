// SPDX-License-Identifier: BSD-3-Clause
// barrier/double-ring: a message goes around a ring twice.
// Source  [pjesivac2007] the double ring of Open MPI.
// Needs   nothing: any p.
// Idea    In the first circuit a rank passes the message on when it has entered. When the message comes back to rank 0, all ranks
//         have entered. The second circuit tells this to all ranks.
// Cost    C1 = 2 p rounds of control messages without payload, if p > 1.
// Prefer  never; a baseline: dissemination has ceil(log2 p) rounds.
#include <algorithm>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_double_ring(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  ProgramBuilder program{me};
  if (p == 1) return std::move(program).finish();
  for (const char* const stage : {"enter", "leave"}) {
    program.stage(stage);
    // In round i the message goes from rank i to the next one. Rank 0 sends first and receives last.
    const Count receives = (me + p - 1) % p;
    program.skip_rounds(std::min(me, receives));
    program.begin_round();
    if (me == 0) program.control_send(1, 0);
    if (me > 0) program.control_receive(me - 1, 0);
    program.skip_rounds(me == 0 ? p - 2 : 0);
    program.begin_round();
    if (me == 0) program.control_receive(p - 1, 0);
    if (me > 0) program.control_send((me + 1) % p, 0);
    program.skip_rounds(me == 0 ? 0 : p - 1 - me);
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm barrier_double_ring{
    .collective = Collective::barrier,
    .id = "double-ring",
    .summary = "a message goes around a ring twice: when all have entered, and to tell them",
    .picture =
        "Only one message is under way at any time, so the view of the time is a staircase, twice. It takes 2 p rounds, where "
        "dissemination takes log2 p, rounded up; it is here to be compared with.",
    .source = "pjesivac2007",
    .generate = generate_double_ring,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
