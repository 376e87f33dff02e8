// SPDX-License-Identifier: BSD-3-Clause
// alltoall/bine: store and forward along the Bine butterfly; half of a rank's blocks cross in each step.
// Source  [desensi2025] the alltoall for short vectors, with our own places for the blocks.
// Needs   p a power of two.
// Idea    Let d_i be the sum of the first i + 1 powers of -2: 1, -1, 3, -5, 11, .. In step i an even rank exchanges blocks with
//         rank + d_i, and an odd rank with rank - d_i (mod p). Each block moves in a set of these steps, which leads from its
//         source to its target. Each set of steps has one slot at a rank: the output block of the rank from which these steps
//         lead here. The last block in this slot comes from that rank and stays here. So a round swaps blocks in place, and no
//         scratch memory is needed. Before its first move a block is read from the input.
// Cost    C1 = log2 p rounds, C2 = (p / 2) log2 p blocks: as hypercube, with partners about a third nearer.
// Prefer  small blocks on networks of groups with few links between them, with ranks in the order of the groups.
#include "patterns/bine.hpp"
#include "collectives/slices/pairs.hpp"
#include "patterns/integers.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

struct Ways : Analysis {
  explicit Ways(Count ranks) : list(bine_ways(ranks)) {}

  std::vector<BineWay> list;
};

Program generate_bine(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const auto& ways = static_cast<const Ways&>(*analysis).list;
  const auto at = [&](Buffer buffer, Count distance) {
    return block(buffer, modulo(me % 2 == 0 ? me + distance : me - distance, p), b);
  };
  ProgramBuilder program{me};
  program.stage("butterfly");
  program.begin_round();
  program.copy({block(Buffer::input, me, b)}, {block(Buffer::output, me, b)});
  for (Count step = 0; Count{1} << step < p; ++step) {
    if (step > 0) program.begin_round();
    const Count bit = Count{1} << step;
    Regions read, write;
    for (const bool fresh : {true, false})  // blocks that have not moved yet, then the others
      for (const BineWay& way : ways) {
        if ((way.hops & bit) == 0 || ((way.hops & (bit - 1)) == 0) != fresh) continue;
        append(read, fresh ? at(Buffer::input, way.ahead) : at(Buffer::output, way.behind));
        append(write, at(Buffer::output, way.behind));
      }
    const Rank partner = bine_partner(me, step, p);
    program.send(partner, folded(read));
    program.receive(partner, folded(write));
  }
  return std::move(program).finish();
}

Result<> bine_applies(const Problem& problem, const Parameters&) {
  if (is_power_of_two(problem.ranks)) return {};
  return cannot("each block has one way through the butterfly only among a power of two, not among " +
                std::to_string(problem.ranks) + " ranks");
}

}  // namespace

extern const Algorithm alltoall_bine{
    .collective = Collective::alltoall,
    .id = "bine",
    .summary = "store and forward: in each step a rank exchanges half of its blocks with a partner nearer than in the hypercube",
    .picture =
        "Rounds and volume are those of the hypercube, but partners are at distances 1, 1, 3, 5, .. instead of 1, 2, 4, 8, .. So "
        "fewer messages leave a group of neighbouring ranks, which matters where few links join the groups.",
    .needs = "p a power of two",
    .source = "desensi2025",
    .generate = generate_bine,
    .applies = bine_applies,
    .analyse = [](const Problem& problem, const Parameters&) -> std::shared_ptr<const Analysis> {
      return std::make_shared<Ways>(problem.ranks);
    },
    .symmetry = [](const Problem& problem, const Parameters&) -> std::optional<Symmetry> {
      return problem.ranks == 1 ? translation_symmetry(1) : Symmetry({{problem.ranks, 2}});
    },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
