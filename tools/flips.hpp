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

// `way_at` is asked at `values`, which ascend; with `bisects`, also between two that differ, until the place is known to 3 %. After
// the deadline nothing more is asked.
Flips find_flips(const std::vector<Count>& values, bool bisects, Deadline deadline,
                 const std::function<std::string(Count)>& way_at);

}  // namespace quadrille::command
