// SPDX-License-Identifier: BSD-3-Clause
// The data of a call in the user's memory, and copying it to and from canonical buffers.
#pragma once

#include "mpi_face/call.hpp"
#include "mpi_face/datatype.hpp"

namespace quadrille::mpi_face {

// Consecutive elements or, for v-collectives, blocks of them at given displacements.
struct Elements {
  void* memory = nullptr;
  Count count = 0;  // over all blocks
  MPI_Datatype type = MPI_DATATYPE_NULL;
  TypeFacts facts;
  Count blocks = 0;                     // 0: one block at the beginning
  Numbers block_counts, displacements;  // per block, in elements

  Bytes bytes() const { return count * facts.size; }
  bool is_canonical() const;  // true if the elements are plain, without gaps and in order, so that no packing is needed
};

// Copy between the user's memory and bytes() packed bytes. Return MPI's error code.
int pack(const Elements& elements, std::byte* bytes, MPI_Comm communicator);
int unpack(const std::byte* bytes, const Elements& elements, MPI_Comm communicator);

}  // namespace quadrille::mpi_face
