// SPDX-License-Identifier: BSD-3-Clause
// Calls that the MPI library always runs: nonblocking and persistent collectives.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "mpi_face/call.hpp"
#include "mpi_face/symbols/function.hpp"

namespace quadrille::mpi_face {

class CommunicatorState;

// Number of arguments after the communicator: a request (nonblocking), or an info object and a request (persistent).
constexpr std::size_t arguments_behind(Function function) { return is_persistent(function) ? 2 : 1; }

// The call that the arguments up to the communicator state, as a call of the blocking form. Arrays with an entry for each neighbour
// are left out.
template <Function function, class... Each>
MpiCall call_of_passed(Each... arguments) {
  const MpiCall call = call_of(Of<blocking_form(function)>(), arguments...);
  if (!is_neighbourhood(function) || (!call.send.counts && !call.receive.counts)) return call;
  return {call.function, call.communicator, {}, {}};
}

// Counts a call that is passed through, if a report is asked for, or records it. The call lasts from the construction of this
// object to its destruction.
class PassedThrough {
 public:
  PassedThrough(Function function, const MpiCall& call) noexcept;
  ~PassedThrough();
  PassedThrough(const PassedThrough&) = delete;
  PassedThrough& operator=(const PassedThrough&) = delete;

  // The call has made this request: waiting for it counts for this collective, too.
  void made(MPI_Request request) noexcept { request_ = request; }

 private:
  CommunicatorState* state_ = nullptr;
  const Function function_;
  const MpiCall call_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::uint64_t began_ = 0;
  bool is_recorded_ = false;
};

}  // namespace quadrille::mpi_face
