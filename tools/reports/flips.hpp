// SPDX-License-Identifier: BSD-3-Clause
// Finds flips: the places where a choice changes as one quantity grows (a block's bytes, ranks or skew).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::command {

struct Flip {
  Count from = 0;  // the first value with this choice
  std::string way;
};

struct Flips {
  std::vector<Flip> list;  // ascending; the first begins at the first value examined
  Count upto = 0;          // the last value examined
  std::string note;        // why the list is empty or ends early; empty: it is complete
};

using Deadline = std::chrono::steady_clock::time_point;

// Adds the flips after `first` up to and including `last`, two values whose choices are known. It bisects between them until
// `is_near` says that two values are close enough. It may miss a choice that changes and changes back between two examined values.
void find_changes(const Flip& first, const Flip& last, const std::function<std::string(Count)>& way_at,
                  const std::function<bool(Count from, Count to)>& is_near, std::vector<Flip>& changes);

// Calls `way_at` for each of the ascending `values`. If `bisects`, it also bisects between neighbours with different choices until
// the flip is known to 3 %. It stops at the deadline.
Flips find_flips(const std::vector<Count>& values, bool bisects, Deadline deadline,
                 const std::function<std::string(Count)>& way_at);

}  // namespace quadrille::command
