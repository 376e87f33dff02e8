// SPDX-License-Identifier: BSD-3-Clause
// What it takes to hand bytes over in memory, on this machine: the ground for choosing how.
#pragma once

#include <array>

#include "quadrille/types.hpp"

namespace quadrille {

class SharedSpace;

// A message goes through its sender's area, which takes a copy in and a copy out, or it is copied once, by its receiver, for whom
// its sender then has to wait. Seconds; the defaults are those of a current server, for groups that do not measure.
struct CopyCosts {
  static constexpr std::array<Bytes, 5> sizes{1024, 4096, 16384, 65536, 262144};
  std::array<double, 5> in{0.1e-6, 0.4e-6, 1.6e-6, 6e-6, 25e-6};
  std::array<double, 5> out{0.2e-6, 0.6e-6, 2.2e-6, 8e-6, 32e-6};
  std::array<double, 5> once{0.2e-6, 0.6e-6, 2.2e-6, 8e-6, 32e-6};
  double wait = 2e-6;  // of one rank, until it is its turn again

  // What copying once saves, the wait apart; `first` if nobody else is sent the same bytes.
  double saved(Bytes bytes, bool first) const;

  // Longer messages are copied once in any case.
  Bytes longest_twice() const;
};

// What is measured once in a process.
struct SharingCosts {
  CopyCosts copies;
  bool yields_hand_over = true;  // does a rank that yields leave its core to another rank?
  bool shared_cores = false;     // measured with more ranks than cores: else yields_hand_over is not known, but true
};

// Collective; the same at all ranks. Takes about a millisecond.
SharingCosts measure_costs(SharedSpace& space);

}  // namespace quadrille
