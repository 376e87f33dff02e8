// SPDX-License-Identifier: BSD-3-Clause
// Times in steps of 5 %.
#pragma once

#include <cstdint>

namespace quadrille::recording {

inline constexpr int step_bits = 10;  // the codes are below 2^10

// Code 0 is 0 ns, code k is 1.05^(k-1) ns.
double ns_of_step(std::uint32_t code);

// The code nearest to a time, in ratio.
std::uint32_t step_of_ns(double ns);

// Rounds times so that sums stay right: the error of one time is added to the next one.
class Rounding {
 public:
  std::uint32_t step(double ns);

 private:
  double owed_ns_ = 0;
};

}  // namespace quadrille::recording
