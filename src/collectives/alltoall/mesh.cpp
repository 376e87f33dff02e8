// SPDX-License-Identifier: BSD-3-Clause
// alltoall/mesh: blocks go along the rows to the target's column, then along the columns to the target's row.
// Source  [grama2003] all-to-all personalised communication on a mesh.
// Needs   rows divides p.
// Idea    Two runs of alltoall/ring. Along the rows, all blocks for one column form a bundle. Blocks that have arrived are stored
//         in the output, sorted by the row of their target and then by the column of their origin. So for the columns all blocks
//         for one row form a bundle that is contiguous in memory.
// Cost    r rows, c columns: C1 = r + c - 2 rounds, C2 = p (r + c - 2) / 2 blocks; p (sqrt p - 1) on a square.
// Prefer  small blocks on a network that is a mesh of this shape: few rounds, and all messages go to neighbours.
#include <algorithm>

#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

// A ring on which every member sends one bundle to each other member. All bundles travel to the right, and every member
// takes out its own. Bundles that travel on are stored in two halves of the scratch buffer, which rounds use
// alternately.
struct Ring {
  Count size, position;
  Rank left, right;
  Bytes bundle_bytes;

  Bytes half_bytes() const { return std::max<Count>(size - 2, 0) * bundle_bytes; }

  // read(m) is the bundle for member m; write(m) is the memory for the bundle from member m.
  template <class Read, class Write>
  void pass_along(ProgramBuilder& program, Read read, Write write) const {
    const auto travelling = [this](Count step, Count count) {  // the bundles of round `step` that travel on
      return Region{Buffer::scratch, (step - 1) % 2 * half_bytes(), count * bundle_bytes, {}};
    };
    for (Count step = 1; step < size; ++step) {
      program.begin_round();
      Regions leaving;
      if (step == 1)
        for (Count distance = 1; distance < size; ++distance) leaving.push_back(read((position + distance) % size));
      else
        leaving.push_back(travelling(step - 1, size - step));
      program.send(right, std::move(leaving));
      program.receive(left, {write((position + size - step) % size), travelling(step, size - step - 1)});
    }
  }
};

Program generate_mesh(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Count rows = number(parameters, "rows"), columns = p / rows;
  const Count row = me / columns, column = me % columns;
  const Ring along_row{columns, column, row * columns + (column + columns - 1) % columns, row * columns + (column + 1) % columns,
                       rows * b};
  const Ring along_column{rows, row, (me + p - columns) % p, (me + columns) % p, columns * b};
  const auto column_of = [&](Buffer buffer, Count c) {  // column c of a buffer seen as a grid of blocks
    return Region{buffer, c * b, b, {{{rows, columns * b}, {}, {}}}};
  };
  const auto row_of = [&](Buffer buffer, Count r) { return blocks(buffer, r * columns, columns, b); };

  ProgramBuilder program{me};
  program.scratch(2 * std::max(along_row.half_bytes(), along_column.half_bytes()));
  program.stage("own bundle");
  program.begin_round();
  program.copy({column_of(Buffer::input, column)}, {column_of(Buffer::output, column)});
  program.stage("rows");
  along_row.pass_along(
      program, [&](Count c) { return column_of(Buffer::input, c); }, [&](Count c) { return column_of(Buffer::output, c); });
  program.stage("columns");
  along_column.pass_along(
      program, [&](Count r) { return row_of(Buffer::output, r); }, [&](Count r) { return row_of(Buffer::output, r); });
  return std::move(program).finish();
}

}  // namespace

// No symmetry is stated: scratch memory holds bundles sorted by row or by column of their targets, and a translation of
// the ranks would change that order.
extern const Algorithm alltoall_mesh{
    .collective = Collective::alltoall,
    .id = "mesh",
    .summary = "store and forward on a grid: along the rows to the target's column, then along the columns",
    .picture =
        "Rows and columns exchange as on a ring, with bundles of blocks: r + c - 2 rounds on r rows and c columns take the place "
        "of p - 1. All messages go to neighbours; in return blocks are passed on several times.",
    .picture_problem = "--topology mesh:2x4 --block 64B",
    .needs = "rows divides p",
    .source = "grama2003",
    .parameters = {grid_rows()},
    .says =
        [](const Problem& problem, const Parameters& parameters, Count round) {
          const Count rows = number(parameters, "rows"), columns = problem.ranks / rows;
          const bool is_row = round < columns;
          return fmt::format("Every rank passes {} on along its {}, towards the {} of their targets",
                             counted(is_row ? (columns - round) * rows : (rows + columns - 1 - round) * columns, "block"),
                             is_row ? "row" : "column", is_row ? "columns" : "rows");
        },
    .generate = generate_mesh,
    .applies = has_full_rows,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
