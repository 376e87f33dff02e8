// SPDX-License-Identifier: BSD-3-Clause
// The cells that `tune` measures (a collective at a size), in the order in which it measures them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "quadrille/operator.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/wisdom.hpp"
#include "subcommands/tune_from.hpp"

namespace quadrille::command {

struct Cell {
  Problem problem;
  std::string shape;  // shape of an alltoallv's counts: "uniform" (drawn around the size), "spike" or "transpose"
  // size of a block; for irregular collectives the mean or, for spike and transpose, the largest count
  Bytes size = 0;
  bool own_counts_only = false;               // alltoallv: each rank knows only its own counts
  std::shared_ptr<const Operator> operation;  // reductions use the sum of f64

  Situation situation() const;
  Problem priced() const;    // the problem for which ways are priced; unknown counts are replaced by equal ones
  std::string text() const;  // "alltoallv spike of 4 KiB"
};

// Returns the collectives, beginning with those on which programs spend most time.
const std::vector<Collective>& by_value();

// Returns nine sizes from 8 B to 1 MiB. Each is four times the size before, except that 1 KiB follows 128 B.
const std::vector<Bytes>& standard_sizes();

// Returns the cells, sizes from coarse to fine: first the smallest, largest and middle size for all collectives, then sizes that
// halve the gaps. If the user stops early, all collectives are covered about equally. `sizes` must ascend.
std::vector<Cell> make_grid(const std::vector<Collective>& collectives, const std::vector<Bytes>& sizes, Count ranks,
                            const std::vector<Count>& nodes);

// Returns the cells that a program needs, in its order.
std::vector<Cell> make_cells(const std::vector<WantedCell>& wanted, Count ranks, const std::vector<Count>& nodes);

}  // namespace quadrille::command
