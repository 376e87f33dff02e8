// SPDX-License-Identifier: BSD-3-Clause
// A call in Quadrille's terms: the collective, its sizes in bytes, and the places of its data.
#pragma once

#include <optional>

#include "mpi_face/call.hpp"
#include "mpi_face/datatype.hpp"
#include "quadrille/problem.hpp"

namespace quadrille::mpi_face {

// The data of a call in the user's memory: consecutive elements or, for v-collectives, blocks of them at given displacements.
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

struct Shape {
  Collective collective{};
  Bytes block_bytes = 0;  // as in Problem; for allgatherv and reduce_scatter, the sum of all shares
  Numbers counts;         // allgatherv and reduce_scatter: the shares of all ranks, in elements of the output
  Rank root = 0;
  Elements input, output;     // invalid (facts.is_valid) on a rank that sends or receives nothing
  bool in_place = false;      // the input is in the output's memory; always true for broadcast
  bool keeps_output = false;  // no output is written: the root's own block in a scatter in place stays where it is

  // The side that holds the shares of all ranks, or the operands. Its type determines the bytes of an element.
  const Elements& data() const { return output.facts.is_valid ? output : input; }

  // Replaces the addresses by those of a later call with the same signature (known_calls.hpp).
  void set_buffers(const MpiCall& call);
};

// Returns nothing for functions that plans cannot run; see shape_of.
std::optional<Collective> collective_of(Function function);

// Describes a call that plans can run: every blocking collective except those that run as exchanges (is_exchanged). Returns
// nothing if the arguments are wrong; the MPI library then reports the error.
std::optional<Shape> shape_of(const MpiCall& call, Rank rank, Count ranks);

// True if no rank can leave the call before all ranks have entered it. Equal on all ranks.
bool synchronises(const Shape& shape, Count ranks);

}  // namespace quadrille::mpi_face
