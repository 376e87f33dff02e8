// SPDX-License-Identifier: BSD-3-Clause
// The index operation on 64 processors of an SP-1. Figures 4 to 6 of [bruck1997] measured it; here the
// linear model predicts its times.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "papers/machines.hpp"

namespace quadrille::papers {

inline constexpr Count sp1_processors = 64;
inline const std::vector<Count> powers_of_two{2, 4, 8, 16, 32, 64};

// g1 and g2 of the model T = g1 C1 beta + g2 C2 tau + g3, with which the paper explains its measurements. If both are 1, it is the
// linear model. g3 is the same for all radices.
struct SlowDown {
  double startups = 1, bytes = 1;
};

// Pairs of g1 and g2 to try. According to the paper, sending and receiving at the same time slows down by a factor
// "somewhere between one and two".
inline const std::vector<SlowDown> slow_downs{{1, 1}, {1, 2}, {2, 1}, {2, 2}};

class Sp1Index {
 public:
  explicit Sp1Index(const SlowDown& slow_down = {}) {
    costs_["startup_factor"] = slow_down.startups;
    costs_["byte_factor"] = slow_down.bytes;
  }

  double us(Count radix, Bytes block_bytes) const {
    const Schedule schedule = make_schedule(Problem::alltoall(sp1_processors, block_bytes), fmt::format("bruck:radix={}", radix));
    return price_of(workload(schedule), *find_model("fitted"), costs_).blocking_s * 1e6;
  }

  Count best_of(const std::vector<Count>& radices, Bytes block_bytes) const {
    Count best = radices.front();
    double least = us(best, block_bytes);
    for (const Count radix : radices)
      if (const double time = us(radix, block_bytes); time < least) {
        least = time;
        best = radix;
      }
    return best;
  }

  // Returns the block size at which two radices take equally long; both times are linear in the block size.
  double break_even(Count fewer_rounds, Count fewer_bytes) const {
    const double at_0 = us(fewer_rounds, 1) - us(fewer_bytes, 1), at_1001 = us(fewer_rounds, 1001) - us(fewer_bytes, 1001);
    return 1 - at_0 * 1000 / (at_1001 - at_0);
  }

 private:
  Coefficients costs_ = machine_of_paper("sp1").models.at("fitted");
};

inline constexpr const char* sp1_place = "section 3.5, p. 1150";
inline constexpr const char* sp1_remark =
    "The times are those of the linear model with the start-up and the time per byte that the paper measured. The paper says that "
    "its own measurements were longer, because of the system's routines, copying, congestion and a slow-down of send-and-receive "
    "by a factor of one to two. Its fitted model, T = g1 C1 beta + g2 C2 tau + g3, has factors for these effects, but the paper "
    "gives no values. So claims are also compared for g1 and g2 of 1 and 2. g3 is the same for all radices and is 0 here. Only "
    "claims that the paper calls qualitative are compared.";

}  // namespace quadrille::papers
