// SPDX-License-Identifier: BSD-3-Clause
#include "subcommands/tune_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/problem_options.hpp"
#include "problem/collective_facts.hpp"
#include "support/text.hpp"
#include "tune/race/tune_cell.hpp"

namespace quadrille::command {
namespace {

// Returns the positions 0 to count - 1 in groups; each group halves the gaps that the groups before it leave.
std::vector<std::vector<std::size_t>> coarse_to_fine(std::size_t count) {
  if (count <= 2) return {count == 2 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0}};
  std::vector<std::size_t> known{0, count - 1};
  std::vector<std::vector<std::size_t>> groups{known};
  for (;;) {
    std::vector<std::size_t> middles;
    for (std::size_t i = 1; i < known.size(); ++i)
      if (known[i] - known[i - 1] > 1) middles.push_back(known[i - 1] + (known[i] - known[i - 1]) / 2);
    if (middles.empty()) return groups;
    known.insert(known.end(), middles.begin(), middles.end());
    std::sort(known.begin(), known.end());
    if (groups.size() == 1 && groups[0].size() == 2)
      groups[0].push_back(middles[0]);  // the middle one is measured in the first group
    else
      groups.push_back(std::move(middles));
  }
}

std::vector<std::string> shapes_of(Collective collective) {
  if (has_pair_counts(collective)) return {"uniform", "spike", "transpose"};
  return {""};
}

Cell make_cell(Collective collective, const std::string& shape, Bytes size, Count ranks, const std::vector<Count>& nodes) {
  ProblemOptions options;
  if (shape == "spike" || shape == "transpose") options.pattern = fmt::format("{}:{}", shape, size);
  Cell cell{.problem = options.problem(collective, ranks, size, 0),
            .shape = shape,
            .size = size,
            .operation = options.operation_for(collective)};
  cell.problem.nodes = nodes;
  return cell;
}

// Adds the cells of a collective at a size: for an alltoallv, those of each shape, with counts that all ranks know and with own
// ones.
void add_cells(std::vector<Cell>& cells, Collective collective, Bytes size, Count ranks, const std::vector<Count>& nodes) {
  for (const std::string& shape : shapes_of(collective)) {
    cells.push_back(make_cell(collective, shape, size, ranks, nodes));
    if (!has_pair_counts(collective)) continue;
    cells.push_back(cells.back());
    cells.back().own_counts_only = true;
  }
}

}  // namespace

Situation Cell::situation() const {
  Situation situation = situation_of(problem);
  situation.counts_known = !own_counts_only;
  return situation;
}

Problem Cell::priced() const { return own_counts_only ? with_equal_counts(problem, situation().block_bytes) : problem; }

std::string Cell::text() const {
  std::string words(name(problem.collective));
  if (!shape.empty()) words += ' ' + shape;
  if (own_counts_only) words += " of own counts";
  return moves_data(problem.collective) ? fmt::format("{} of {}", words, bytes_text(size)) : words;
}

const std::vector<Collective>& by_value() {
  using enum Collective;
  static const std::vector<Collective> order{alltoall,       alltoallv,       allreduce, allgather, broadcast,  reduce,
                                             reduce_scatter, barrier,         gather,    scatter,   allgatherv, gatherv,
                                             scatterv,       reduce_scatterv, scan,      exscan};
  return order;
}

const std::vector<Bytes>& standard_sizes() {
  static const std::vector<Bytes> sizes{8, 32, 128, 1024, 4096, 16384, 65536, 262144, 1048576};
  return sizes;
}

std::vector<Cell> make_grid(const std::vector<Collective>& collectives, const std::vector<Bytes>& sizes, Count ranks,
                            const std::vector<Count>& nodes) {
  std::vector<Cell> cells;
  const auto groups = coarse_to_fine(sizes.size());
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (const Collective collective : collectives)
      for (const std::size_t at : groups[group]) {
        if (!moves_data(collective) && (group > 0 || at > 0)) continue;  // a collective without data is measured once
        add_cells(cells, collective, sizes[at], ranks, nodes);
      }
  return cells;
}

std::vector<Cell> make_cells(const std::vector<WantedCell>& wanted, Count ranks, const std::vector<Count>& nodes) {
  std::vector<Cell> cells;
  for (const WantedCell& each : wanted) add_cells(cells, each.collective, each.size, ranks, nodes);
  return cells;
}

}  // namespace quadrille::command
