// SPDX-License-Identifier: BSD-3-Clause
// The index operation on 64 processors of an SP-1 by the linear model: what figures 4 to 6 of [bruck1997] measured.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "reproduce/machines.hpp"

namespace quadrille::reproduce {

inline constexpr Count sp1_processors = 64;
inline const std::vector<Count> powers_of_two{2, 4, 8, 16, 32, 64};

class Sp1Index {
 public:
  double us(Count radix, Bytes block_bytes) const {
    return linear_us(alltoall(sp1_processors, block_bytes), fmt::format("bruck:radix={}", radix), machine_);
  }

  Count best_of(const std::vector<Count>& radices, Bytes block_bytes) const {
    Count best = radices.front();
    for (const Count radix : radices)
      if (us(radix, block_bytes) < us(best, block_bytes)) best = radix;
    return best;
  }

  // The size of block at which two radices take equally long; both are lines in it.
  double break_even(Count fewer_rounds, Count fewer_bytes) const {
    const double at_0 = us(fewer_rounds, 1) - us(fewer_bytes, 1), at_1001 = us(fewer_rounds, 1001) - us(fewer_bytes, 1001);
    return 1 - at_0 * 1000 / (at_1001 - at_0);
  }

 private:
  MachineCosts machine_ = machine_of_paper("sp1");
};

inline constexpr const char* sp1_remark =
    "Times are those of the linear model with the start-up and the byte that the paper measured. Its own measurements were longer, "
    "as it says: the system's routines, copying, congestion and a slow-down of send-and-receive of one to two are not in the "
    "model. "
    "Compared is what it calls qualitative.";

}  // namespace quadrille::reproduce
