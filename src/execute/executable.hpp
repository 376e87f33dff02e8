// SPDX-License-Identifier: BSD-3-Clause
// A collective made ready on one rank: a script with its messages (run.hpp), a program that is made on the way (staged.hpp), or a
// call of MPI. One execution at a time; execution.hpp adds what executions of several plans need.
#pragma once

#include <cstddef>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class Executable {
 public:
  virtual ~Executable() = default;

  // Returns when the execution is complete. `phases`, if not null, receives the time of each phase; measuring makes the execution
  // slightly slower.
  virtual void execute(const std::byte* input, std::byte* output, Phases* phases = nullptr) = 0;

  // The same in parts: `begin`, then `advance`, which never waits, until it returns true, or `finish`, which waits. If a call
  // throws, the execution is over.
  virtual bool runs_in_parts() const { return false; }  // false: `begin` does all, and waits for other ranks
  virtual void begin(const std::byte* input, std::byte* output) { execute(input, output); }
  virtual bool advance() { return true; }
  virtual void finish() {}

  // Is it a collective of an MPI library's? MPI wants the same order of calls at all ranks, and the same function. So its
  // executions begin in the order of starts, also while earlier ones are under way: `advance` and `finish` are about the first that
  // is not over. And `execute`, which waits inside MPI without advancing anything else, is never replaced by `begin` and `finish`.
  virtual bool is_vendors() const { return false; }

  // Ends the executions under way without waiting: this rank's buffers are not read or written any more. Other ranks that wait for
  // it throw `why`, if they share memory with this one.
  virtual void abandon(const Error& /*why*/) noexcept {}

  // That this rank has in it, between two executions.
  virtual Bytes memory_bytes() const { return 0; }
};

template <class... Values>
Bytes memory_bytes_of(const std::vector<Values>&... vectors) {
  return (Bytes{0} + ... + static_cast<Bytes>(vectors.capacity() * sizeof(Values)));
}

}  // namespace quadrille
