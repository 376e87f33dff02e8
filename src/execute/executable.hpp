// SPDX-License-Identifier: BSD-3-Clause
// A collective made ready on one rank: a script with its messages (run.hpp), a program that is made on the way (staged.hpp), or a
// call of MPI. One execution at a time; execution.hpp adds what executions of several plans need.
#pragma once

#include <cstddef>

#include "quadrille/execute.hpp"

namespace quadrille {

class Executable {
 public:
  virtual ~Executable() = default;

  // Returns when all is through. Where `phases` is not null, it is told where the time went, and execution is a little slower.
  virtual void execute(const std::byte* input, std::byte* output, Phases* phases = nullptr) = 0;

  // The same in parts: `begin`, then `advance`, which never waits, until it returns true, or `finish`, which waits. What throws is
  // over as well. An executable that cannot be run in parts does all in `begin`, which then waits for the other ranks.
  virtual void begin(const std::byte* input, std::byte* output) { execute(input, output); }
  virtual bool advance() { return true; }
  virtual void finish() {}
};

}  // namespace quadrille
