// SPDX-License-Identifier: BSD-3-Clause
// What `tune` measures, the most valuable first.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "quadrille/operator.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille::command {

struct Cell {
  Problem problem;
  std::string shape;             // of an alltoallv's counts: "uniform", drawn around the size, "spike" or "transpose"
  Bytes size = 0;                // of a block; of irregular collectives the mean or, of spike and transpose, the largest
  bool own_counts_only = false;  // of an alltoallv: as if each rank knew no other counts than its own
  std::shared_ptr<const Operator> operation;  // reductions: the sum of f64

  Situation situation() const;
  Problem priced() const;    // what ways are priced for: where counts are not known, equal ones
  std::string text() const;  // "alltoallv spike of 4 KiB"
};

// The collectives that programs spend most time in come first.
const std::vector<Collective>& by_value();

// 8 B to 1 MiB, in steps of four; one, from 128 B, of eight.
const std::vector<Bytes>& standard_sizes();

// Sizes from coarse to fine: the first, the last and the middle one for all collectives, then what halves the gaps. So whoever
// stops early knows the most about all. `sizes` ascend.
std::vector<Cell> make_grid(const std::vector<Collective>& collectives, const std::vector<Bytes>& sizes, Count ranks,
                            const std::vector<Count>& nodes);

}  // namespace quadrille::command
