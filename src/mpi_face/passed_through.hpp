// SPDX-License-Identifier: BSD-3-Clause
// Calls of functions that are always the MPI library's: nonblocking, persistent and neighbourhood collectives.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mpi_face/function.hpp"

namespace quadrille::mpi_face {

class CommunicatorState;

// Which argument of the C function is the communicator, counted from 0; `arguments` is how many there are. A request, or an info
// and a request, come behind it.
constexpr std::size_t place_of_communicator(Function function, std::size_t arguments) {
  const std::string_view words = function_names[static_cast<std::size_t>(function)];
  return arguments - (words.ends_with("_init") ? 3 : words.starts_with("MPI_I") ? 2 : 1);
}

// A call of a function that is always the MPI library's, from here to the end of its scope: counted where a report is asked for.
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
