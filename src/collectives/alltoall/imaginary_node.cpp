// SPDX-License-Identifier: BSD-3-Clause
// alltoall/imaginary-node: the exchange of alltoall/torus:kernel=ar for rings of an odd number of ranks, with an
// imaginary rank added (the source's "imaginary node").
// Source  [liu2005] section VI.
// Needs   an odd number of ranks, on a ring.
// Idea    An imaginary rank between the last rank and the first makes the size of the ring even. Rank 0 also acts for the
//         imaginary rank and has memory for both positions. A message from one of these positions to the other becomes a copy
//         inside rank 0. The imaginary rank sends and receives no blocks of its own. A hop across the imaginary rank is one link
//         shorter, so still no link is used twice at a time. But some blocks take the longer way around the real ring.
// Cost    p ranks: (p + 1) / 2 rounds, C2 = ceil((p + 1)^2 / 8) blocks; alltoall/torus takes (p - 1) / 2 rounds and
//         (p^2 - 1) / 8 blocks.
// Prefer  never; it shows the proposal of the source, and alltoall/torus is at least as good in every respect.
#include "patterns/integers.hpp"
#include "patterns/ring_kernel.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

using ring_kernel::Antipode;
using ring_kernel::Kernel;

// The exchange on the ring with the imaginary position, which has the number p. A block that has to travel w positions in all
// lies in slot w of every position that it reaches.
class PaddedRing {
 public:
  PaddedRing(const Problem& problem) : ranks_(problem.ranks), places_(problem.ranks + 1), block_bytes_(problem.block_bytes) {}

  Program program(Rank me) const {
    const Count steps = ring_kernel::steps(Kernel::alternating, places_);
    ProgramBuilder program{me};
    program.expect(steps, 8);
    const auto room = checked_product((me == 0 ? 2 : 1) * places_, block_bytes_);  // p = 1: four blocks
    if (!room) throw Error(ErrorCode::too_large, "the scratch memory reaches 2^63 bytes; make the blocks smaller");
    program.scratch(*room);
    program.stage("arrange");
    program.begin_round();
    program.copy(blocks_upward(Buffer::input, me, ranks_, ranks_, block_bytes_),
                 {slots(me, 0, ranks_ - me), slots(me, places_ - me, me)});
    program.stage("around the ring");
    for (Count step = 0; step < steps; ++step) {
      program.begin_round();
      for (const int direction : {1, -1}) pass_on(program, me, me, step, direction);
      if (me == 0)
        for (const int direction : {1, -1}) pass_on(program, me, ranks_, step, direction);
    }
    program.stage("rearrange");
    program.begin_round();
    program.copy({slots(me, 0, me + 1), slots(me, me + 2, ranks_ - me - 1)},
                 blocks_downward(Buffer::output, me, ranks_, ranks_, block_bytes_));
    return std::move(program).finish();
  }

 private:
  Rank host(Count place) const { return place % ranks_; }
  Count around(Count place) const { return modulo(place, places_); }

  Region slots(Count place, Count first, Count count, Count step = 1) const {
    const Bytes begin = ((place == ranks_ ? places_ : 0) + first) * block_bytes_;
    if (step == 1) return {Buffer::scratch, begin, count * block_bytes_, {}};
    return {Buffer::scratch, begin, block_bytes_, {{{count, step * block_bytes_}, {}, {}}}};
  }

  // Adds the messages of one position of rank `me` to a round: the message that the position sends in `direction`, and the
  // message that it receives.
  void pass_on(ProgramBuilder& program, Rank me, Count place, Count step, int direction) const {
    const Count hop = direction * ring_kernel::links(Kernel::alternating, step);
    const Port port{0, direction};
    const Count to = around(place + hop), from = around(place - hop);
    if (host(to) == me)
      program.copy(leaving(place, step, direction, place), leaving(place, step, direction, to));
    else
      program.send(host(to), leaving(place, step, direction, place), port);
    if (host(from) != me) program.receive(host(from), leaving(from, step, direction, place), port);
  }

  // Returns the slots, in the memory of position `at`, of the blocks that leave `place` in a step.
  Regions leaving(Count place, Count step, int direction, Count at) const {
    const auto found = ring_kernel::departure(Kernel::alternating, Antipode::by_target, places_, place, step, direction);
    Regions regions;
    if (!found) return regions;
    const Count shortest = found->count > 0 ? found->first : places_ / 2;
    const Count longest = found->antipode ? places_ / 2 : found->first + (found->count - 1) * found->step;
    for (const Count parity : {0, 1}) {
      const Count first = shortest % 2 == parity ? shortest : shortest + 1;
      const Count last = longest % 2 == parity ? longest : longest - 1;
      if (first > last || (found->step == 2 && parity != shortest % 2)) continue;
      // Blocks whose distances have the same parity have all travelled equally far, so they come from one origin. The
      // block for the imaginary position does not exist and is left out.
      const Count origin = around(place - direction * travelled(step, parity));
      if (origin == ranks_) continue;
      const Count missing = around(direction * (ranks_ - origin));
      const auto add = [&](Count begin, Count end) {  // distances begin, begin + 2, .. end
        if (begin <= end) regions.push_back(slots(at, direction > 0 ? begin : places_ - end, (end - begin) / 2 + 1, 2));
      };
      if (missing % 2 == parity && missing >= first && missing <= last) {
        add(first, missing - 2);
        add(missing + 2, last);
      } else {
        add(first, last);
      }
    }
    return regions;
  }

  // Returns how many links a block has travelled before `step`, in which it moves; `parity` is that of its distance. A block at
  // an odd distance moves one link in step 0. After that it moves two links in each step of one half of the steps.
  Count travelled(Count step, Count parity) const {
    if (step == 0) return 0;
    const Count early = ring_kernel::steps(Kernel::alternating, places_) / 2;
    return parity + 2 * (step <= early ? step - 1 : step - 1 - early);
  }

  Count ranks_, places_;
  Bytes block_bytes_;
};

Result<> imaginary_node_applies(const Problem& problem, const Parameters&) {
  if (problem.ranks % 2 == 0) return cannot("a ring with an even number of ranks needs no imaginary node; use torus:kernel=ar");
  for (const Count side : problem.grid)
    if (side > 1 && side < problem.ranks) return cannot("ranks on a grid with several sides do not form a ring");
  return {};
}

}  // namespace

extern const Algorithm alltoall_imaginary_node{
    .collective = Collective::alltoall,
    .id = "imaginary-node",
    .summary = "all-port exchange on odd rings, made even by an imaginary node, whose work rank 0 does",
    .picture =
        "Nine ranks on a ring act as ten: rank 0 also does the work of the rank that does not exist, so it has more to send than "
        "the others. It shows a proposal of a paper that makes odd rings even. The algorithm torus needs no such help, has one "
        "round less and moves less.",
    .picture_problem = "--topology torus:9",
    .needs = "an odd number of ranks, on a ring",
    .source = "liu2005, section VI",
    .generate = [](const Problem& problem, const Parameters&, const Analysis*, Rank me) { return PaddedRing(problem).program(me); },
    .applies = imaginary_node_applies,
    .ports = [](const Problem&, const Parameters&) { return Count{2}; },
};

}  // namespace quadrille
