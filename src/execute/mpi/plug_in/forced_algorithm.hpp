// SPDX-License-Identifier: BSD-3-Clause
// Forces the MPI library to use one of its own algorithms for a collective, by setting its control variables (MPI_T). Open MPI
// reads the variables when a communicator is made, so a forced collective has a communicator of its own. MPICH reads them in each
// call, so they are set during the call; if other threads call the same collective meanwhile, these calls are forced, too.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/transport.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

class ForcedAlgorithm {
 public:
  // Local. Returns the names of all algorithms that the library offers for the problem, or the reason why none can be forced.
  static Result<std::vector<std::string>> names(const Problem& problem);

  // Local. Returns the algorithm of this name, or the reason why it cannot be forced.
  static Result<std::shared_ptr<const ForcedAlgorithm>> of(const Problem& problem, const std::string& name);

  virtual ~ForcedAlgorithm() = default;

  // Collective. Returns an executable that forces the algorithm. `made` makes the library's collective for the communicator of a
  // lease.
  using Made = std::function<std::unique_ptr<Executable>(const Lease&)>;
  virtual std::unique_ptr<Executable> make(const Lease& lease, const Made& made) const = 0;
};

}  // namespace quadrille
