// SPDX-License-Identifier: BSD-3-Clause
// alltoall/submesh: on a torus, first inside submeshes of 2 x 2, then among the ranks at the same place of theirs; one port.
// Source  [liu2005] section IV.A, as the previous scheme [tseng1999] [gu2001].
// Needs   a grid of two sides, both even.
// Idea    Neighbours of a row exchange everything for columns of the other's parity, then those of a column for rows of the
//         other's: then a rank has what the four of its submesh have for ranks of its own group, which stand in every second row
//         and column. A group passes that on around its rows and then its columns, two links a hop, even places to the one side
//         and odd ones to the other, so that no link is used twice. Blocks lie in slots, by their displacement, as in
//         alltoall/torus.
// Cost    r x c: (r + c) / 2 rounds, C2 = r c (r + c) / 4 blocks, on a square four times what alltoall/torus takes: a rank uses one
//         link of four, and blocks go around rings in one direction. Two passes over the blocks inside a rank.
// Prefer  never; the baseline of alltoall/torus.
#include "collectives/torus_slots.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
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
    // What is an odd number of places further on has started at the other place of the submesh.
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
    .needs = "two even sides",
    .source = "liu2005, section IV.A",
    .generate = generate,
    .applies = [](const Problem& problem, const Parameters&) -> Result<> {
      const std::vector<TorusSide> sides = torus_sides(problem);
      if (sides.size() == 2 && sides_divisible(sides, 2)) return {};
      return cannot("submeshes of 2 x 2 need a grid of two sides, both even");
    },
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(torus_symmetry(torus_sides(problem), 2)); },
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
