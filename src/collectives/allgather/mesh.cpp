// SPDX-License-Identifier: BSD-3-Clause
// allgather/mesh: rings along the rows, then along the columns with whole rows.
// Source  [grama2003] all-to-all broadcast on a mesh.
// Needs   rows divides p.
// Idea    A ring in each row gathers the row; a ring in each column then passes rows, which are runs of memory.
// Cost    r rows, c columns: C1 = r + c - 2 rounds, C2 = p - 1 blocks: the least volume on one port.
// Prefer  large blocks on a network that is a mesh or torus of this shape.
#include "collectives/grid_rows.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Bytes b = problem.block_bytes;
  const Count rows = number(parameters, "rows"), columns = problem.ranks / rows;
  const Count row = me / columns, column = me % columns;
  const auto rank = [columns](Count r, Count c) { return r * columns + c; };
  ProgramBuilder program{me};
  program.stage("rows");
  program.begin_round();
  program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, me, b)});
  for (Count step = 1; step < columns; ++step) {
    if (step > 1) program.begin_round();
    const Rank leaving = rank(row, (column + columns - step + 1) % columns),
               arriving = rank(row, (column + columns - step) % columns);
    program.send(rank(row, (column + 1) % columns), {step == 1 ? block(Buffer::input, 0, b) : block(Buffer::output, leaving, b)});
    program.receive(rank(row, (column + columns - 1) % columns), {block(Buffer::output, arriving, b)});
  }
  program.stage("columns");
  for (Count step = 1; step < rows; ++step) {
    program.begin_round();
    const Count leaving = (row + rows - step + 1) % rows, arriving = (row + rows - step) % rows;
    program.send(rank((row + 1) % rows, column), {blocks(Buffer::output, rank(leaving, 0), columns, b)});
    program.receive(rank((row + rows - 1) % rows, column), {blocks(Buffer::output, rank(arriving, 0), columns, b)});
  }
  return std::move(program).finish();
}

// Moving all rows on by one keeps the order of blocks in a row; moving the columns would not.
std::optional<Symmetry> symmetry(const Problem& problem, const Parameters& parameters) {
  const Count p = problem.ranks;
  const Count columns = p / number(parameters, "rows");
  Symmetry moved_rows{{},
                      [columns](Rank rank) { return rank % columns; },
                      [columns, p](Rank rank, Rank x) { return (x + rank / columns * columns) % p; }};
  for (Rank first_row = 0; first_row < columns; ++first_row) moved_rows.representatives.push_back(first_row);
  return moved_rows;
}

}  // namespace

extern const Algorithm allgather_mesh{
    .collective = Collective::allgather,
    .id = "mesh",
    .summary = "rings along the rows of a grid, then along its columns with whole rows",
    .needs = "rows divides p",
    .source = "grama2003",
    .parameters = {grid_rows()},
    .generate = generate,
    .reason_against = reason_against_rows,
    .symmetry = symmetry,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
