// SPDX-License-Identifier: BSD-3-Clause
// Runs calls by Quadrille: packs data that is not canonical, executes a plan or an exchange, and unpacks the result. All
// functions return MPI's error codes.
#pragma once

#include <mpi.h>

#include <exception>
#include <vector>

#include "execute/executions/exchanger.hpp"
#include "mpi_face/blocks.hpp"
#include "mpi_face/shape.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::mpi_face {

class Runner {
 public:
  Runner(MPI_Comm communicator, Rank rank) : communicator_(communicator), rank_(rank) {}

  int execute(Plan& plan, const Shape& shape);

  // Runs an exchange, in which a rank waits only for ranks with which it exchanges data. All ranks must call it in the same
  // order.
  int exchange(Exchanger& exchange, const CallBlocks& blocks);

  // Runs the collective of a communicator of one rank, which is a copy from the input to the output.
  int copy(const Elements& from, const Elements& to);

 private:
  int execute_broadcast(Plan& plan, const Shape& shape);
  int failed(const std::exception& error);

  const MPI_Comm communicator_;
  const Rank rank_;
  std::vector<std::byte> input_, output_;  // canonical buffers, used if the user's buffers are not canonical
  EdgeLists edges_;
};

bool overlap(const Elements& a, const Elements& b);

}  // namespace quadrille::mpi_face
