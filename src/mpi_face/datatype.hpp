// SPDX-License-Identifier: BSD-3-Clause
// What is to be known of a datatype of MPI's to move its elements, and moving them between the user's memory and bytes without
// gaps.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string_view>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

// Of numbers that our operators combine, by the names of operator.hpp.
struct ElementType {
  int number = -1;         // of its kind; -1: we do not combine such elements
  std::string_view name;   // "f64"
  bool is_exact = false;   // sums do not depend on the order
  bool only_bits = false;  // MPI_BYTE: bitwise operators only
};

struct TypeFacts {
  bool is_valid = false;
  Bytes size = 0;         // of an element's data
  Bytes extent = 0;       // from element to element
  bool is_plain = false;  // elements lie one after the other, without gaps, and their bytes in the order of the type
  ElementType element;
};

// Local. Of derived types kept until they are freed.
TypeFacts facts_of(MPI_Datatype type);

// Local. It is never freed.
bool is_predefined(MPI_Datatype type);

// Between `count` elements in the user's memory and `count * size` bytes. They return MPI's code.
int pack(const void* elements, Count count, MPI_Datatype type, const TypeFacts& facts, std::byte* bytes, MPI_Comm communicator);
int unpack(const std::byte* bytes, void* elements, Count count, MPI_Datatype type, const TypeFacts& facts, MPI_Comm communicator);

}  // namespace quadrille::mpi_face
