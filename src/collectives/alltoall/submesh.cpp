// SPDX-License-Identifier: BSD-3-Clause
// alltoall/submesh: exchanges on a torus with one port, first inside submeshes of 2 x 2, then among the ranks at the same
// position of their submeshes.
// Source  [liu2005] section IV.A, which describes it as the previous scheme [tseng1999] [gu2001].
// Needs   a grid of two sides, both even.
// Idea    First the two ranks in each row of a submesh exchange all blocks for columns of the other rank's parity. Then the two
//         ranks in each column of a submesh do the same for rows. A group consists of the ranks at the same position of their
//         submeshes. Each rank now has the blocks of the four ranks of its submesh for its own group. The group passes these
//         blocks around its rows and then around its columns, with hops of two links. Even positions send in one direction and
//         odd positions in the other, so no link is used twice at a time. Blocks lie in slots by their displacement, as in
//         alltoall/torus.
// Cost    r x c: (r + c) / 2 rounds, C2 = r c (r + c) / 4 blocks. On a square C2 is four times that of alltoall/torus, because a
//         rank uses one of its four links and blocks go around rings in one direction. Each rank copies all its blocks twice.
// Prefer  never; it is the baseline for alltoall/torus.
#include "collectives/exchange/torus_slots.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Program generate_submesh(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const std::vector<TorusSide> sides = torus_sides(problem);
  const Bytes b = problem.block_bytes;
  const Slots slots(sides, 0, b);
  const Region all_slots{Buffer::scratch, 0, problem.ranks * b, {}};
  const auto box = [&](std::size_t dimension, Displacements span) {
    std::vector<Spans> product{all_of(sides[0]), all_of(sides[1])};
    product[dimension] = {span};
    Regions regions;
    slots.append(regions, product);
    return regions;
  };
  const auto parity = [&](std::size_t dimension) { return place_on(sides[dimension], me) % 2; };

  ProgramBuilder program{me};
  program.scratch(problem.ranks * b);
  program.expect(sides[0].length + sides[1].length, 1);
  program.stage("arrange");
  program.begin_round();
  program.copy(blocks_by_displacement(sides, me, Buffer::input, 1, b, 0, b), {all_slots});
  program.stage("inside submeshes");
  for (const std::size_t dimension : {1u, 0u}) {
    const TorusSide& side = sides[dimension];
    const int direction = parity(dimension) == 0 ? 1 : -1;
    const Rank neighbour = moved(me, side, direction);
    const Regions odd = box(dimension, odd_ones(side).front());
    program.begin_round();
    program.send(neighbour, odd, Port{side.dimension, direction});
    program.receive(neighbour, odd, Port{side.dimension, -direction});
  }
  for (const std::size_t dimension : {1u, 0u}) {
    const TorusSide& side = sides[dimension];
    program.stage(dimension == 1 ? "rows of groups" : "columns of groups");
    const int direction = parity(dimension) == 0 ? 1 : -1;
    const Port port{side.dimension, direction};
    // Blocks at odd distances started at the other position of the submesh in this dimension, so the residue of that position is
    // used. At even distances both residues give the same result.
    for (Count step = 1; step < side.length / 2; ++step) {
      const Regions leaving = box(dimension, groups_away(side, 2, 1 - parity(dimension), direction, step));
      program.begin_round();
      program.send(moved(me, side, 2 * direction), leaving, port);
      program.receive(moved(me, side, -2 * direction), leaving, port);
    }
  }
  program.stage("rearrange");
  program.begin_round();
  program.copy({all_slots}, blocks_by_displacement(sides, me, Buffer::output, -1, b, 0, b));
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm alltoall_submesh{
    .collective = Collective::alltoall,
    .id = "submesh",
    .summary = "on the grid as a torus: inside 2 x 2 submeshes, then around rows and columns of every second rank, on one port",
    .picture =
        "First neighbours exchange inside squares of 2 x 2, then blocks go around rows and columns in hops of two links. A rank "
        "sends one message at a time, although a torus gives it four links; on a square torus, which uses all four, moves a "
        "quarter of the volume.",
    .picture_problem = "--topology torus:4x4",
    .needs = "two even sides",
    .source = "liu2005, section IV.A",
    .generate = generate_submesh,
    .applies = [](const Problem& problem, const Parameters&) -> Result<> {
      const std::vector<TorusSide> sides = torus_sides(problem);
      if (sides.size() == 2 && sides_divisible(sides, 2)) return {};
      return cannot("submeshes of 2 x 2 need a grid of two sides, both even");
    },
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(torus_symmetry(torus_sides(problem), 2)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
