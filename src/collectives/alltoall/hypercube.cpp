// SPDX-License-Identifier: BSD-3-Clause
// alltoall/hypercube: half of a rank's blocks cross each dimension, one dimension after the other.
// Source  [grama2003] all-to-all personalised communication on a hypercube.
// Needs   p a power of two.
// Idea    Blocks go from s to t along the bits of j = s ^ t, lowest bit first. In round d, ranks i and i ^ 2^d exchange the p/2
//         blocks whose j has bit d. Slot j of rank i is output block i ^ j, because the last block in this slot comes from rank i
//         ^ j and stays here. Before its first move a block is read from input block i ^ j. So a round swaps blocks in place, and
//         no scratch memory is needed.
// Cost    C1 = log2 p rounds, C2 = (p / 2) log2 p blocks: as bruck with radix 2, but a rank has only one partner in
//         each round.
// Prefer  small blocks, p a power of two, and links that carry both directions at once.
#include <bit>

#include "collectives/saying.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate_hypercube(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  ProgramBuilder program{me};
  program.stage("dimensions");
  program.begin_round();
  program.copy({block(Buffer::input, me, b)}, {block(Buffer::output, me, b)});
  for (Count bit = 1; bit < p; bit *= 2) {
    if (bit > 1) program.begin_round();
    const Rank partner = me ^ bit;
    // The slots j with this bit are runs of `bit` output blocks, 2 * bit apart, beginning with block `half`. In each run, the
    // block at index `low` has not moved yet, because the lower bits of its j are zero.
    const Count half = partner & bit;
    const Count low = me & (bit - 1);
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

Result<> hypercube_applies(const Problem& problem, const Parameters&) {
  if (std::has_single_bit(static_cast<std::uint64_t>(problem.ranks))) return {};
  return cannot("it crosses one dimension of a hypercube in each round and therefore needs a power of two, not " +
                std::to_string(problem.ranks) + " ranks");
}

}  // namespace

extern const Algorithm alltoall_hypercube{
    .collective = Collective::alltoall,
    .id = "hypercube",
    .summary = "dimension by dimension: in round d rank i exchanges half of its blocks with i ^ 2^d",
    .picture =
        "In round d the ranks whose numbers differ in bit d swap half of their blocks. Rounds and volume are those of Bruck with "
        "radix 2, but a rank sends to the rank it receives from, which on a hypercube is a neighbour, and blocks change places "
        "without scratch memory.",
    .picture_problem = "--topology hypercube:8 --block 64B",
    .needs = "p a power of two",
    .source = "grama2003",
    .says =
        [](const Problem& problem, const Parameters&, Count round) {
          return says_swap(counted(problem.ranks / 2, "block"), round) + ": those whose target differs in it";
        },
    .generate = generate_hypercube,
    .applies = hypercube_applies,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(exclusive_or_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
