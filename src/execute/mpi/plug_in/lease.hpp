// SPDX-License-Identifier: BSD-3-Clause
// Where a plan's messages go: a communicator in which nothing of the user's is sent, and a tag that no other plan there has, the
// same on all ranks. Between two ranks a plan's messages are matched in the order in which they are posted, which policies keep.
#pragma once

#include <mpi.h>

#include <memory>

namespace quadrille {

struct Lease {
  MPI_Comm communicator = MPI_COMM_NULL;
  int tag = 0;
  std::shared_ptr<const void> kept;  // while there is one of these, nobody frees the communicator
};

}  // namespace quadrille
