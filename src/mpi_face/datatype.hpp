// SPDX-License-Identifier: BSD-3-Clause
// The facts about an MPI datatype that moving its elements needs, and functions that copy elements between the user's memory and
// packed bytes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

// The type of an element that reductions may combine.
struct ElementType {
  int number = -1;         // number of the type; -1: it is the user's own
  std::string_view name;   // such as "f64" (operator.hpp); "?": only MPI's own functions can combine it
  bool is_exact = false;   // true if sums do not depend on the order
  bool only_bits = false;  // MPI_BYTE: only bitwise operators apply
};

struct TypeFacts {
  bool is_valid = false;
  Bytes size = 0;         // bytes of data in an element
  Bytes extent = 0;       // bytes from one element to the next
  bool is_plain = false;  // elements have no gaps between or inside them, and their bytes are in the order of the type map
  ElementType element;
};

// Local. Facts about derived types are kept until the types are freed.
TypeFacts facts_of(MPI_Datatype type);

// Local. A predefined type is never freed.
bool is_predefined(MPI_Datatype type);

// Copy between `count` elements in the user's memory and `count * size` packed bytes. Return MPI's error code.
int pack(const void* elements, Count count, MPI_Datatype type, const TypeFacts& facts, std::byte* bytes, MPI_Comm communicator);
int unpack(const std::byte* bytes, void* elements, Count count, MPI_Datatype type, const TypeFacts& facts, MPI_Comm communicator);

}  // namespace quadrille::mpi_face
