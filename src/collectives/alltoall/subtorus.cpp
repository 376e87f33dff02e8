// SPDX-License-Identifier: BSD-3-Clause
// alltoall/subtorus: exchanges on a torus with one port, first around rings that link every fourth rank of a row or column, then
// inside submeshes of 4 x 4.
// Source  [suh2001], reconstructed from its costs in table II of [liu2005] and from the properties that these
//         costs require.
// Needs   a grid of two sides, both multiples of 4.
// Idea    Ranks whose coordinates agree mod 4 form a group. A block first travels inside its source's group to the submesh of its
//         target: around a ring along the row or column, then around a ring of the other dimension. A hop is four links long. The
//         direction of a rank's first hops depends on x + y mod 4: right, down, left or up. So four neighbours send in four
//         directions, and no two messages share a link. After that ranks exchange inside submeshes: in each dimension with the
//         rank two positions away, then in each dimension with the neighbour. Blocks lie in slots by their displacement. Ranks
//         that start along rows store the slots column by column, so that their first messages are contiguous.
// Cost    r <= c: c / 2 + 2 rounds, C2 = r c (c + 4) / 4 blocks, and three copies of all blocks inside a rank, as in
//         table II.
// Prefer  never; a baseline: on four ports alltoall/torus takes as many rounds and less than half the volume.
#include <algorithm>

#include "collectives/exchange/torus_slots.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

class SubtorusExchange {
 public:
  SubtorusExchange(const Problem& problem, Rank me)
      : sides_(torus_sides(problem)),
        block_bytes_(problem.block_bytes),
        me_(me),
        class_((place_on(sides_[0], me) + place_on(sides_[1], me)) % 4),
        slots_(memory_order(), 0, block_bytes_),
        program_(me) {
    program_.scratch(problem.ranks * block_bytes_);
  }

  Program program() && {
    const std::size_t first = class_ % 2 == 0 ? 1 : 0;
    const Count rounds = std::max(sides_[0].length, sides_[1].length) / 4 - 1;
    program_.expect(rounds + 4, 4);
    program_.stage("arrange");
    program_.begin_round();
    program_.copy(blocks_by_displacement(sides_, me_, Buffer::input, 1, block_bytes_, 0, block_bytes_), all_slots());
    for (const std::size_t dimension : {first, 1 - first}) {
      program_.stage(dimension == first ? "groups, one dimension" : "groups, the other dimension");
      for (Count step = 1; step <= rounds; ++step) {
        program_.begin_round();
        pass_on(dimension, step, dimension == first);
      }
    }
    program_.stage("two places off");
    // Neighbouring ranks start in different dimensions, because two neighbours that hop over two links in the same dimension
    // would share a link.
    for (const std::size_t dimension : {first, 1 - first}) {
      program_.begin_round();
      exchange(dimension, 2);
    }
    program_.stage("neighbours");
    for (const std::size_t dimension : {1u, 0u}) {
      program_.begin_round();
      exchange(dimension, 1);
    }
    program_.stage("rearrange");
    program_.begin_round();
    program_.copy(all_slots(), blocks_by_displacement(sides_, me_, Buffer::output, -1, block_bytes_, 0, block_bytes_));
    return std::move(program_).finish();
  }

 private:
  // Returns the sides in the order in which slots are stored. Their strides count slots.
  std::vector<TorusSide> memory_order() const {
    std::vector<TorusSide> order = sides_;
    if (class_ % 2 == 0) {
      order[0].stride = 1;
      order[1].stride = order[0].length;
    }
    return order;
  }

  Regions all_slots() const {
    Regions regions;
    slots_.append(regions, {all_of(sides_[0]), all_of(sides_[1])});
    return regions;
  }

  // Lists slots. Sender and receiver of a message along the first dimension store slots in the same order. The slots are listed
  // in this order, so those that are adjacent in memory become one region.
  Regions box(std::size_t dimension, const Spans& spans, bool is_first) const {
    Regions regions;
    std::vector<Spans> product{all_of(sides_[0]), all_of(sides_[1])};
    product[dimension] = spans;
    if (!is_first || dimension == 0) {
      slots_.append(regions, product);
      return regions;
    }
    const std::vector<TorusSide> order = memory_order();
    Slots({order[1], order[0]}, 0, block_bytes_).append(regions, {product[1], product[0]});
    return regions;
  }

  void pass_on(std::size_t dimension, Count step, bool is_first) {
    const TorusSide& side = sides_[dimension];
    if (step >= side.length / 4) return;
    const int direction = class_ < 2 ? 1 : -1;
    const Port port{side.dimension, direction};
    const Regions leaving = box(dimension, {groups_away(side, 4, place_on(side, me_) % 4, direction, step)}, is_first);
    program_.send(moved(me_, side, 4 * direction), leaving, port);
    program_.receive(moved(me_, side, -4 * direction), leaving, port);
  }

  // Exchanges with the rank of the submesh whose position differs in the bit of value `distance`: sends all blocks
  // whose target position differs in that bit.
  void exchange(std::size_t dimension, Count distance) {
    const TorusSide& side = sides_[dimension];
    const Count place = place_on(side, me_) % 4;
    const int direction = (place & distance) == 0 ? 1 : -1;
    // An odd displacement changes bit 0 of the position. Bit 1 is changed by the displacements 2 and 3 (mod 4) from even
    // positions, and by 1 and 2 from odd positions, because bit 0 carries. If `distance` is 2, the positions of sender and
    // receiver have the same parity, so both list the same slots.
    Spans spans = odd_ones(side);
    if (distance == 2) {
      const Count even = 2, odd = place % 2 == 0 ? 3 : 1;
      spans = {{even, side.length / 4, 4}, {odd, side.length / 4, 4}};
    }
    const Regions leaving = box(dimension, spans, false);
    const Rank partner = moved(me_, side, direction * distance);
    program_.send(partner, leaving, Port{side.dimension, direction});
    program_.receive(partner, leaving, Port{side.dimension, -direction});
  }

  const std::vector<TorusSide> sides_;
  const Bytes block_bytes_;
  const Rank me_;
  const Count class_;  // direction of the first hops: 0 right, 1 down, 2 left, 3 up
  const Slots slots_;
  ProgramBuilder program_;
};

}  // namespace

extern const Algorithm alltoall_subtorus{
    .collective = Collective::alltoall,
    .id = "subtorus",
    .summary = "on the grid as a torus: around rings of every fourth rank, then inside 4 x 4 submeshes, on one port",
    .picture =
        "The first hops are four links long, here along the rows only, because the columns have just four ranks; neighbouring "
        "ranks send in different directions, so no link is shared. Then blocks reach their targets inside squares of 4 x 4. One "
        "port is enough; torus, on four, takes as many rounds and moves less than half as much.",
    .picture_problem = "--topology torus:4x8",
    .needs = "two sides, multiples of 4",
    .source = "suh2001",
    .generate = [](const Problem& problem, const Parameters&, const Analysis*,
                   Rank me) { return SubtorusExchange(problem, me).program(); },
    .applies = [](const Problem& problem, const Parameters&) -> Result<> {
      const std::vector<TorusSide> sides = torus_sides(problem);
      if (sides.size() == 2 && sides_divisible(sides, 4)) return {};
      return cannot("submeshes of 4 x 4 need a grid of two sides, both multiples of 4");
    },
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(torus_symmetry(torus_sides(problem), 4)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
