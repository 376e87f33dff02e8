// SPDX-License-Identifier: BSD-3-Clause
// Data in the user's memory as a call describes it, and moving it to and from canonical buffers.
#pragma once

#include "mpi_face/call.hpp"
#include "mpi_face/datatype.hpp"

namespace quadrille::mpi_face {

// Elements one after the other; of v-collectives blocks of them, each at its displacement.
struct Elements {
  void* memory = nullptr;
  Count count = 0;  // of all blocks
  MPI_Datatype type = MPI_DATATYPE_NULL;
  TypeFacts facts;
  Count blocks = 0;                     // 0: one block, at the beginning
  Numbers block_counts, displacements;  // of each block, in elements

  Bytes bytes() const { return count * facts.size; }
  bool is_canonical() const;  // plain elements without gaps, in order: no packing is needed
};

// Between the user's memory and bytes() bytes without gaps. They return MPI's code.
int pack(const Elements& elements, std::byte* bytes, MPI_Comm communicator);
int unpack(const std::byte* bytes, const Elements& elements, MPI_Comm communicator);

}  // namespace quadrille::mpi_face
