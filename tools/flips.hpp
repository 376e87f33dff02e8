// SPDX-License-Identifier: BSD-3-Clause
// Where a choice changes along one quantity: a block's bytes, ranks, or skew.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::command {

struct Flip {
  Count from = 0;  // from here on
  std::string way;
};

struct Flips {
  std::vector<Flip> list;  // ascending; the first is from the first value looked at
  Count upto = 0;          // the last value looked at
  std::string note;        // why it is empty or ends early; empty: nothing to say
};

using Deadline = std::chrono::steady_clock::time_point;

// Adds the changes behind `first` up to and including `last`, two values that were looked at, halving what lies between them until
// `is_near` says that two values are near enough. What is taken again behind something else in between may be missed.
void find_changes(const Flip& first, const Flip& last, const std::function<std::string(Count)>& way_at,
                  const std::function<bool(Count from, Count to)>& is_near, std::vector<Flip>& changes);

// `way_at` is asked at `values`, which ascend; with `bisects`, also between two that differ, until the place is known to 3 %. After
// the deadline nothing more is asked.
Flips find_flips(const std::vector<Count>& values, bool bisects, Deadline deadline,
                 const std::function<std::string(Count)>& way_at);

}  // namespace quadrille::command
