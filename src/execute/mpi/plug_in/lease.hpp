// SPDX-License-Identifier: BSD-3-Clause
// A lease gives a plan a communicator and a tag for its messages. The communicator carries no messages of the user, and no other
// plan of this communicator has the tag. The tag is the same on all ranks. All messages of a plan have this one tag: MPI matches
// messages between two ranks in the order in which they are posted, and all policies post them in the same order.
#pragma once

#include <mpi.h>

#include <memory>

namespace quadrille {

struct Lease {
  MPI_Comm communicator = MPI_COMM_NULL;
  int tag = 0;
  std::shared_ptr<const void> kept;  // the communicator is not freed while a copy of this exists
};

}  // namespace quadrille
