// SPDX-License-Identifier: BSD-3-Clause
// alltoall/hypercube: dimension by dimension, half of everything crosses each.
// Source  [grama2003] all-to-all personalised communication on a hypercube.
// Needs   p a power of two.
// Idea    Blocks go from s to t along the bits of j = s ^ t, lowest first. In round d ranks i and i ^ 2^d exchange the p/2 blocks
//         they hold whose j has bit d. Slot j of rank i lies in output block i ^ j, where its contents end, and before its first
//         move it is read from input block i ^ j; so there is no scratch memory, and a round swaps in place.
// Cost    C1 = log2 p rounds, C2 = (p / 2) log2 p blocks: as bruck with radix 2, but with one partner a round.
// Prefer  small blocks on powers of two, where links carry both directions at once.
#include <bit>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  ProgramBuilder program{me};
  program.stage("dimensions");
  program.begin_round();
  program.copy({block(Buffer::input, me, b)}, {block(Buffer::output, me, b)});
  for (Count bit = 1; bit < p; bit *= 2) {
    if (bit > 1) program.begin_round();
    const Rank partner = me ^ bit;
    const Count half = partner & bit;  // the places i ^ j of slots with this bit: from `half` on, `bit` of every 2 * bit
    const Count low = me & (bit - 1);  // the one among them whose lower bits of j are zero, which has not moved yet
    const auto places = [&](Buffer buffer, Count first, Count length) {
      return Region{buffer, (half + first) * b, length * b, {{{p / (2 * bit), 2 * bit * b}, {}, {}}}};
    };
    const auto slots = [&](Buffer fresh) {
      return Regions{places(fresh, low, 1), places(Buffer::output, 0, low), places(Buffer::output, low + 1, bit - low - 1)};
    };
    program.send(partner, slots(Buffer::input));
    program.receive(partner, slots(Buffer::output));
  }
  return std::move(program).finish();
}

Result<> applies(const Problem& problem, const Parameters&) {
  if (std::has_single_bit(static_cast<std::uint64_t>(problem.ranks))) return {};
  return cannot("it crosses one dimension of a hypercube a round and so needs a power of two, not " +
                std::to_string(problem.ranks) + " ranks");
}

}  // namespace

extern const Algorithm alltoall_hypercube{
    .collective = Collective::alltoall,
    .id = "hypercube",
    .summary = "dimension by dimension: half of everything crosses to i ^ 2^d in round d",
    .needs = "p a power of two",
    .source = "grama2003",
    .generate = generate,
    .applies = applies,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(exclusive_or_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
