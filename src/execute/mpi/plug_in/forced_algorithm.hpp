// SPDX-License-Identifier: BSD-3-Clause
// One of the MPI library's own algorithms for a collective, which the library is made to take by its control variables (MPI_T).
// Open MPI reads them when a communicator is made, so a forced collective has a communicator of its own. MPICH reads them in each
// call, so they are set for the time of the call; collectives of the same kind that other threads call meanwhile are forced, too.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "execute/executable.hpp"
#include "execute/mpi/plug_in/lease.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/result.hpp"

namespace quadrille {

class ForcedAlgorithm {
 public:
  // Of all that the library offers for the problem; or why it cannot be made to take one; local.
  static Result<std::vector<std::string>> names(const Problem& problem);

  // The same for one.
  static Result<std::shared_ptr<const ForcedAlgorithm>> of(const Problem& problem, const std::string& name);

  virtual ~ForcedAlgorithm() = default;

  // Collective. `made` makes the library's collective in the communicator that it is given.
  using Made = std::function<std::unique_ptr<Executable>(const Lease&)>;
  virtual std::unique_ptr<Executable> make(const Lease& lease, const Made& made) const = 0;
};

}  // namespace quadrille
