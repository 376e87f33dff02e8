// SPDX-License-Identifier: BSD-3-Clause
// What in a program must wait for what, because of the memory that it reads and writes. Derived from the regions; nobody writes a
// dependence by hand. ordering.hpp says what follows under each policy.
#pragma once

#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

enum class OperationKind : std::uint8_t { local, send, receive };

// A step of a program, in program order: round by round, and in a round locals, sends, receives.
struct Operation {
  OperationKind kind;
  std::size_t round;  // position in Program::rounds
  std::size_t index;  // position in its list there
};

enum class Hazard : std::uint8_t { read_after_write, write_after_read, write_after_write };

struct Dependence {
  std::size_t on;  // an earlier operation
  Hazard hazard;
  bool operator==(const Dependence&) const = default;
};

inline constexpr std::size_t no_operation = static_cast<std::size_t>(-1);

struct DependenceGraph {
  std::vector<Operation> operations;
  std::vector<std::vector<Dependence>> before;  // for each operation, what must come first

  const Local& local(const Program& program, std::size_t operation) const;
  const Message& message(const Program& program, std::size_t operation) const;
};

// Reads and writes overlap exactly where regions are contiguous or of equal strides, and conservatively (by their hulls)
// otherwise. A send that reads what a receive of the same round overwrites has the receive depend on it
// (write after read): executors break that by packing the send first.
DependenceGraph dependences(const Program& program);

// The program's operations, without dependences.
std::vector<Operation> operations(const Program& program);

// Could the two regions share a byte? Exact for contiguous regions and for equal strides, else "yes" if their hulls meet.
bool may_overlap(const Region& a, const Region& b);

}  // namespace quadrille
