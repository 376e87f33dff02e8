// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/elements.hpp"

namespace quadrille::mpi_face {
namespace {

// Calls `move` for each block, with its address, its number of elements and its offset in the canonical buffer, until a call fails.
template <class Move>
int for_each_block(const Elements& elements, const Move& move) {
  auto* const memory = static_cast<char*>(elements.memory);
  if (elements.blocks == 0) return move(memory, elements.count, Bytes{0});
  Bytes offset = 0;
  for (Count block = 0; block < elements.blocks; ++block) {
    const Count count = elements.block_counts[block];
    const int code = move(memory + elements.displacements[block] * elements.facts.extent, count, offset);
    if (code != MPI_SUCCESS) return code;
    offset += count * elements.facts.size;
  }
  return MPI_SUCCESS;
}

}  // namespace

bool Elements::is_canonical() const {
  if (!facts.is_plain) return false;
  Count next = 0;
  for (Count block = 0; block < blocks; ++block) {
    if (block_counts[block] > 0 && displacements[block] != next) return false;
    next += block_counts[block];
  }
  return true;
}

int pack(const Elements& elements, std::byte* bytes, MPI_Comm communicator) {
  return for_each_block(elements, [&](const char* block, Count count, Bytes offset) {
    return pack(block, count, elements.type, elements.facts, bytes + offset, communicator);
  });
}

int unpack(const std::byte* bytes, const Elements& elements, MPI_Comm communicator) {
  return for_each_block(elements, [&](char* block, Count count, Bytes offset) {
    return unpack(bytes + offset, block, count, elements.type, elements.facts, communicator);
  });
}

}  // namespace quadrille::mpi_face
