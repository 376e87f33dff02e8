// SPDX-License-Identifier: BSD-3-Clause
// allgatherv/ring: everybody passes on to the right what came from the left.
// Source  [grama2003] all-to-all broadcast on a ring.
// Needs   nothing: any p, shares of any size, also of none.
// Idea    In round t = 0 .. p-2 rank i sends the share of i - t and receives that of i - t - 1.
// Cost    C1 = p - 1 rounds; C2 = p - 1 times the largest share.
// Prefer  long shares of like size, and networks where neighbours are near.
#include "collectives/shares.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const Count p = problem.ranks;
  const Shares& shares = quadrille::shares(analysis);
  ProgramBuilder program{me};
  program.stage("pass along");
  program.begin_round();
  program.copy({{Buffer::input, 0, shares.of(me), {}}}, {shares.of(Buffer::output, me)});
  for (Count step = 0; step < p - 1; ++step) {
    if (step > 0) program.begin_round();
    program.send((me + 1) % p, {shares.of(Buffer::output, (me + p - step) % p)});
    program.receive((me + p - 1) % p, {shares.of(Buffer::output, (me + p - step - 1) % p)});
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm allgatherv_ring{
    .collective = Collective::allgatherv,
    .id = "ring",
    .summary = "pass on to the right neighbour what came from the left",
    .needs = "",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
    .analyse = Shares::analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
