// SPDX-License-Identifier: BSD-3-Clause
// The dependences between a program's operations, derived from the memory that they read and write. Nobody writes a
// dependence by hand. ordering.hpp turns them into an order for each execution policy.
#pragma once

#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

enum class OperationKind : std::uint8_t { local, send, receive };

// One operation of a program. Program order is round by round, and within a round locals, sends, receives.
struct Operation {
  OperationKind kind;
  std::size_t round;  // index in Program::rounds
  std::size_t index;  // index in the round's list of locals, sends or receives
};

enum class Hazard : std::uint8_t { read_after_write, write_after_read, write_after_write };

struct Dependence {
  std::size_t on;  // index of an earlier operation
  Hazard hazard;
  bool operator==(const Dependence&) const = default;
};

inline constexpr std::size_t no_operation = static_cast<std::size_t>(-1);

struct DependenceGraph {
  std::vector<Operation> operations;
  std::vector<std::vector<Dependence>> before;  // for each operation, the operations that must come first

  const Local& local(const Program& program, std::size_t operation) const;
  const Message& message(const Program& program, std::size_t operation) const;
};

// Returns the dependences of a program. Overlap is decided exactly if the regions are contiguous or have equal
// strides. Otherwise, regions whose hulls overlap count as overlapping. If a receive overwrites memory that a send of
// the same round reads, the receive depends on the send (write after read); executors remove this dependence by
// packing the send first.
DependenceGraph dependences(const Program& program);

// Returns the program's operations in program order, without dependences.
std::vector<Operation> operations(const Program& program);

// Can the two regions share a byte? The answer is exact for contiguous regions and for equal strides. For other
// regions it is "yes" if their hulls overlap.
bool may_overlap(const Region& a, const Region& b);

}  // namespace quadrille
