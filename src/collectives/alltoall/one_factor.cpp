// SPDX-License-Identifier: BSD-3-Clause
// alltoall/one-factor: pairwise exchange for any p, both directions with one partner a round.
// Source  [sanders2002] section 2, flat machine.
// Needs   nothing.
// Idea    Round i is factor i of a 1-factorisation of the complete graph with self-loops: in the basic form rank u meets
//         (i - u) mod p. The concentrated form puts all self-loops of an even p in one factor, which then needs no round.
// Cost    basic: C1 = p rounds (p = 2: 1), of p - 1 blocks for a rank; concentrated: C1 = p - 1 for even p. C2 = C1 blocks.
// Prefer  large blocks on links that carry both directions at once, where p is no power of two.
#include "patterns/one_factor.hpp"

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const auto form = word(parameters, "form") == "basic" ? one_factor::Form::basic : one_factor::Form::concentrated;
  ProgramBuilder program{me};
  program.stage("exchange");
  for (Count factor = 0; factor < p; ++factor) {
    const Rank partner = one_factor::partner(form, p, factor, me);
    program.begin_round();
    if (partner == me) {
      program.copy({block(Buffer::input, me, b)}, {block(Buffer::output, me, b)});
      continue;
    }
    program.send(partner, {block(Buffer::input, partner, b)});
    program.receive(partner, {block(Buffer::output, partner, b)});
  }
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm alltoall_one_factor{
    .collective = Collective::alltoall,
    .id = "one-factor",
    .summary = "pairwise for any p: exchange with (i - u) mod p in round i",
    .needs = "",
    .source = "sanders2002, section 2",
    .parameters = {{.name = "form",
                    .summary = "where the self-loops are: spread over the rounds, or (even p) all in the last",
                    .standard = "concentrated",
                    .choices = {"basic", "concentrated"}}},
    .generate = generate,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
