// SPDX-License-Identifier: BSD-3-Clause
// A call in our terms: the collective, its sizes in bytes, and where its data is.
#pragma once

#include <optional>

#include "mpi_face/call.hpp"
#include "mpi_face/datatype.hpp"
#include "quadrille/problem.hpp"

namespace quadrille::mpi_face {

// Elements in the user's memory, one after the other.
struct Elements {
  void* memory = nullptr;
  Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  TypeFacts facts;

  Bytes bytes() const { return count * facts.size; }
};

struct Shape {
  Collective collective = Collective::barrier;
  Bytes block_bytes = 0;  // as Problem has it; the same on all ranks of a correct call
  Elements input, output;
  bool in_place = false;  // the input lies in the output's memory
};

// Of barrier, allreduce, reduce_scatter_block, allgather and alltoall, which all ranks leave only after all have entered. Absent
// where the arguments are wrong: the MPI library is to say so.
std::optional<Shape> shape_of(const MpiCall& call, Rank rank, Count ranks);

}  // namespace quadrille::mpi_face
