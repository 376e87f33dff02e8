// SPDX-License-Identifier: BSD-3-Clause
// A collective made ready on one rank: a script with its messages (script/run.hpp), an incremental program (incremental.hpp), or a
// call of an MPI collective. It runs one execution at a time; executions/execution.hpp queues further ones.
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

  // The same without blocking: call `begin`, then either `advance`, which never waits, until it returns true, or `finish`, which
  // waits. If a call throws, the execution is over. If runs_in_parts() is false, `begin` runs the whole execution and waits for
  // other ranks.
  virtual bool runs_in_parts() const { return false; }
  virtual void begin(const std::byte* input, std::byte* output) { execute(input, output); }
  virtual bool advance() { return true; }
  virtual void finish() {}

  // Is this a collective of the MPI library? MPI requires the same order of calls on all ranks. So its executions begin in the
  // order in which they are started, even while earlier ones are in flight; `advance` and `finish` refer to the oldest one in
  // flight. MPI does not match a blocking collective with a nonblocking one. So a blocking execution always calls `execute`, never
  // `begin` and `finish`.
  virtual bool is_vendors() const { return false; }

  // Ends the executions in flight without waiting. Afterwards nobody reads or writes this rank's buffers; only a collective of the
  // MPI library may still do so, because MPI cannot cancel it. Ranks that share memory with this one and wait for it throw `why`.
  virtual void abandon(const Error& /*why*/) noexcept {}

  // How many bytes this object holds at this rank between two executions.
  virtual Bytes memory_bytes() const { return 0; }
};

template <class... Values>
Bytes memory_bytes_of(const std::vector<Values>&... vectors) {
  return (Bytes{0} + ... + static_cast<Bytes>(vectors.capacity() * sizeof(Values)));
}

}  // namespace quadrille
