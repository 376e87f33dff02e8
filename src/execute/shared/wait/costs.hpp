// SPDX-License-Identifier: BSD-3-Clause
// The costs of copying through shared memory on this machine. A sender uses them to decide which messages are long.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "quadrille/types.hpp"

namespace quadrille {

class SharedSpace;

// A short message is copied twice: by the sender into its area, by the receiver out of it. A long message is copied once, by the
// receiver from the sender's buffer, and the sender waits for that. All figures are seconds. The defaults are those of a current
// server; ranks that are threads use them without measuring.
struct CopyCosts {
  static constexpr std::array<Bytes, 5> sizes{1024, 4096, 16384, 65536, 262144};
  static constexpr Bytes most_twice = sizes[sizes.size() - 2];  // longest_twice() is never larger
  std::array<double, 5> in{0.1e-6, 0.4e-6, 1.6e-6, 6e-6, 25e-6};
  std::array<double, 5> out{0.2e-6, 0.6e-6, 2.2e-6, 8e-6, 32e-6};
  std::array<double, 5> once{0.2e-6, 0.6e-6, 2.2e-6, 8e-6, 32e-6};
  double wait = 2e-6;  // until a waiting rank gets its core again

  // Returns the time that copying once saves, not counting the wait. `first`: this is the first message of the window with these
  // bytes. Only the first message saves the copy into the area, because later ones would use the same copy.
  double saved(Bytes bytes, bool first) const;

  // The seconds of copying a message in both ways, without waits.
  double twice_s(Bytes bytes) const;
  double once_s(Bytes bytes) const;

  // Returns a length of at most `most_twice`. Messages above it are always long: the receiver copies them once if it can read the
  // sender's memory.
  Bytes longest_twice() const;
};

// Costs that the ranks of a group measure together.
struct SharingCosts {
  CopyCosts copies;
  bool yields_hand_over = true;  // a rank that calls sched_yield gives its core to another rank of the group
  bool shared_cores = false;     // more ranks than cores; otherwise no rank has to yield, and yields_hand_over is true
};

// Measures the costs. Collective; all ranks get the same result. Takes about a millisecond.
SharingCosts measure_costs(SharedSpace& space);

// A process keeps the costs for its later groups (costs_of in meet.cpp). `process` is its ProcessCard::id, because in tests several
// objects act like several processes. Nothing is kept until the process has been in a group of two or more ranks. Thread-safe.
std::optional<SharingCosts> kept_costs(std::uint64_t process);
void keep_costs(std::uint64_t process, const SharingCosts& costs);

}  // namespace quadrille
