// SPDX-License-Identifier: BSD-3-Clause
// Runs calls by Quadrille: packs data that is not canonical, executes a plan or a direct exchange, and unpacks the result. All
// functions return MPI's error codes.
#pragma once

#include <mpi.h>

#include <exception>
#include <vector>

#include "execute/shared/unplanned/direct_exchange.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/shape.hpp"
#include "quadrille/execute.hpp"

namespace quadrille::mpi_face {

class Runner {
 public:
  Runner(MPI_Comm communicator, Rank rank, Count ranks) : communicator_(communicator), rank_(rank), ranks_(ranks) {}

  int execute(Plan& plan, const Shape& shape);

  // Runs an alltoallv. Collective, and returns only after all ranks have entered it.
  int exchange(DirectExchange& exchange, const MpiCall& call);

  // The collective of a communicator of one rank is a copy from the input to the output.
  int copy(const Elements& from, const Elements& to);

 private:
  int execute_broadcast(Plan& plan, const Shape& shape);
  int pack_blocks(const Side& side, const TypeFacts& facts);
  int failed(const std::exception& error);

  const MPI_Comm communicator_;
  const Rank rank_;
  const Count ranks_;
  std::vector<std::byte> input_, output_;  // canonical buffers, used if the user's buffers are not canonical
  std::vector<DirectExchange::Outgoing> outgoing_;
  std::vector<DirectExchange::Incoming> incoming_;
};

bool overlap(const Elements& a, const Elements& b);

}  // namespace quadrille::mpi_face
