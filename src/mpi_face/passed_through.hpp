// SPDX-License-Identifier: BSD-3-Clause
// Calls that the MPI library always runs: nonblocking, persistent and neighbourhood collectives.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpi_face/symbols/function.hpp"

namespace quadrille::mpi_face {

class CommunicatorState;

// Index of the communicator among the `arguments` arguments of the C function. A request (nonblocking), or an info object and a
// request (persistent), may follow it.
constexpr std::size_t place_of_communicator(Function function, std::size_t arguments) {
  const std::string_view words = function_names[static_cast<std::size_t>(function)];
  return arguments - (words.ends_with("_init") ? 3 : words.starts_with("MPI_I") ? 2 : 1);
}

// Counts a call that is passed through, if a report is asked for. The call lasts from the construction of
// this object to its destruction.
class PassedThrough {
 public:
  PassedThrough(Function function, MPI_Comm communicator) noexcept;
  ~PassedThrough();
  PassedThrough(const PassedThrough&) = delete;
  PassedThrough& operator=(const PassedThrough&) = delete;

 private:
  CommunicatorState* state_ = nullptr;
  Function function_;
  std::uint64_t began_ = 0;
};

}  // namespace quadrille::mpi_face
